import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Media, Post } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { plain, withoutBlanksAtBreaks } from "../../upstream/markup-text.ts";

/** One photo, video or voice note of a message; without a URL where the widget shows a poster only. */
export interface Medium {
  readonly type: MediaItem["type"];
  url: string | null;
  /** Its own number within an album; null where it has none beside the message's. */
  readonly number: number | null;
}

/** A message as the platform's widgets show it; an album is one message, named after its first item. */
export interface Message {
  /** The channel's handle, as the channel spells it. */
  readonly channel: string;
  readonly number: number;
  /** What the channel's own events say ("photo updated") is not a post. */
  readonly isService: boolean;
  readonly media: Medium[];
  caption: string;
  /** What stands in place of media that the widget does not show, such as "Media is too big". */
  label: string;
}

/** Whether the message, or an item of its album, is the post. Handles ignore case. */
export function shows(message: Message, { owner, id }: Post): boolean {
  if (message.channel.toLowerCase() !== owner?.toLowerCase()) return false;
  const asked = Number(id);
  return message.number === asked || message.media.some(({ number }) => number === asked);
}

/** The message's media; of an album all of it, or with `?single` the one item that the post names. */
export function mediaOf(message: Message, { id, url }: Post): Answer<Media> {
  const isSingle = url.searchParams.has("single");
  const asked = message.media.filter(
    ({ number }) => !isSingle || (number ?? message.number) === Number(id),
  );
  const items = asked.flatMap(({ type, url }) => (url === null ? [] : [{ type, url }]));
  if (message.isService || items.length === 0) {
    return notFound(`no media: ${plain(message.label) || "none in the message"}`);
  }
  const caption = plain(withoutBlanksAtBreaks(message.caption));
  return success({ items, metadata: { title: null, author: message.channel, caption } });
}
