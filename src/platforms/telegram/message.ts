import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Media, Post } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { plain, withoutBlanksAtBreaks } from "../../upstream/markup-text.ts";

/** One photo, video or voice note of a message. No URL if the widget shows only a poster. */
export interface Medium {
  readonly type: MediaItem["type"];
  url: string | null;
  /** Its own number within an album. Null if it has only the message's number. */
  readonly number: number | null;
  /** The widget does not play it: its player is marked so, or leads to the platform's apps. */
  isKept: boolean;
  /** An element for the file has no address. */
  isEmpty: boolean;
  /** What the widget says in place of the file, such as "Media is too big". */
  label: string;
}

/** In every player, hidden where the browser can play the file (recordings up to 2026-08). */
const OF_BROWSER = /in your browser/i;

/** Whether nothing says why the widget has no file of the medium: the platform has moved it. */
function isLost({ url, isKept, isEmpty, label }: Medium): boolean {
  return url === null && !isKept && (isEmpty || !tells(label));
}

function tells(label: string): boolean {
  return plain(label) !== "" && !OF_BROWSER.test(label);
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
  /** The widget's texts instead of media that it does not show. */
  label: string;
  /** Parts that only media have, such as a duration, whether or not the medium itself was found. */
  hasMediaParts: boolean;
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
 * @param html the page, for the report of drift
 */
export function mediaOf(message: Message, { id, url }: Post, html: string): Answer<Media> {
  const isSingle = url.searchParams.has("single");
  const asked = message.media.filter(
    ({ number }) => !isSingle || (number ?? message.number) === Number(id),
  );
  const items = asked.flatMap(({ type, url }) => (url === null ? [] : [{ type, url }]));
  if (message.isService || items.length === 0) {
    if (isMoved(message, asked)) {
      const name = `"${message.channel}/${message.number}"`;
      return drifted("media without its file", "src", textFrom(html, name));
    }
    return notFound(`no media: ${plain(message.label) || "none in the message"}`);
  }
  const caption = plain(withoutBlanksAtBreaks(message.caption));
  return success({ items, metadata: { title: null, author: message.channel, caption } });
}

/** Whether the message shows that there is media, without its file and without a reason. */
function isMoved({ isService, media, label, hasMediaParts }: Message, asked: readonly Medium[]) {
  if (isService) return false;
  return media.length === 0 ? hasMediaParts && !tells(label) : asked.some(isLost);
}
