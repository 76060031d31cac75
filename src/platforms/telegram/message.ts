import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Media, Post } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { plain, withoutBlanksAtBreaks } from "../../upstream/markup-text.ts";

/** One photo, video or voice note of a message. No URL if the widget shows only a poster. */
export interface Medium {
  readonly type: MediaItem["type"];
  url: string | null;
  /** Its own number within an album. Null if it has only the message's number. */
  readonly number: number | null;
}

/**
 * A message as the platform's widgets show it. An album is one message with the number of its first
 * item.
 */
export interface Message {
  /** The channel's handle, in the channel's own spelling. */
  readonly channel: string;
  readonly number: number;
  /** A notice about the channel ("photo updated"), which is no post. */
  readonly isService: boolean;
  readonly media: Medium[];
  caption: string;
  /** The widget's text instead of media that it does not show, such as "Media is too big". */
  label: string;
}

/**
 * Whether the message, or an item of its album, is the post. The case of handles does not matter.
 */
export function shows(message: Message, { owner, id }: Post): boolean {
  if (message.channel.toLowerCase() !== owner?.toLowerCase()) return false;
  const asked = Number(id);
  return message.number === asked || message.media.some(({ number }) => number === asked);
}

/**
 * The message's media. For an album: all items, or with `?single` only the item that the post
 * names.
 */
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
