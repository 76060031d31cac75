import { success } from "../../contract/result.ts";
import type { Post } from "../../search/resolver.ts";
import type { Answer } from "../../upstream/answer.ts";
import { countUpTo } from "../../upstream/json.ts";
import { MarkupReader } from "../../upstream/markup.ts";
import { plain } from "../../upstream/markup-text.ts";
import { type Message, shows } from "./message.ts";
import { LABEL, MEDIA_PARTS, MessageReader } from "./message-reader.ts";

/** The name `<channel>/<number>`. Only a message's outermost element has it. */
export const NAME = "data-post=";

/** A preview has about 20 messages. Each one with the post's number costs a rewriter. */
const MESSAGES_MAX = 100;

/** A tag that names a message has about 150 characters. */
const TAG_CHARACTERS_MAX = 500;

/** Texts that replace a message in a page; the last, a preview's whole list (2026-10). */
const NO_MESSAGES = ".tme_no_messages_found";
const NOTICES = [".tgme_widget_message_error", NO_MESSAGES].join();

/**
 * Finds the message that is the post, or whose album contains it, in an embed or preview page. Null
 * if the page does not have it. Ignores stickers, documents, polls, link previews and replies
 * (markup as in BroadcastChannel, 2025-11, and recordings up to 2026-08). Of a preview's 20
 * messages it parses only those that contain the post's number.
 */
export async function findMessage(html: string, post: Post): Promise<Answer<Message | null>> {
  const number = `/${Number(post.id)}`;
  const starts = messageStarts(html);
  const markup = new MarkupReader();
  for (const [index, start] of starts.entries()) {
    const part = html.slice(start, starts[index + 1]);
    if (!part.includes(number)) continue;
    const read = await readMessage(markup, part, false);
    if (!read.ok) return read;
    const message = read.value;
    if (message === null || !shows(message, post)) continue;
    return isWhole(message) ? read : readMessage(markup, part, true);
  }
  return success(null);
}

function isWhole({ media }: Message): boolean {
  return media.length > 0 && media.every(({ url }) => url !== null);
}

async function readMessage(
  markup: MarkupReader,
  part: string,
  hasReasons: boolean,
): Promise<Answer<Message | null>> {
  const reader = new MessageReader();
  const read = await markup.read(part, (listeners) => {
    reader.attach(listeners);
    if (hasReasons) reader.attachReasons(listeners);
  });
  return read.ok ? success(reader.message) : read;
}

/**
 * What a page says instead of a message, such as "Post not found". Otherwise empty. A label says
 * something of the page only where the page shows no media: it is part of every player.
 */
export async function noticeOf(html: string): Promise<string> {
  const said: Record<"notice" | "marker" | "label" | "media", string[]> = {
    notice: [],
    marker: [],
    label: [],
    media: [],
  };
  await new MarkupReader().read(html.slice(0, messageStarts(html)[0]), (listeners) => {
    listeners
      .on(NOTICES, { text: ({ text }) => void said.notice.push(text) })
      .on(NO_MESSAGES, { element: () => void said.marker.push("no messages found") })
      .on(LABEL, { text: ({ text }) => void said.label.push(text) })
      .on(MEDIA_PARTS, { element: ({ tagName }) => void said.media.push(tagName) });
  });
  const label = said.media.length > 0 ? "" : plain(said.label.join(""));
  return plain(said.notice.join("")) || (said.marker[0] ?? label);
}

/** Whether the page has messages, and whether they are of the post's channel. */
export function messagesIn(html: string, { owner }: Post): "none" | "foreign" | "own" {
  const starts = messageStarts(html);
  if (starts.length === 0) return "none";
  const name = `${NAME}"${owner}/`.toLowerCase();
  const tags = starts.map((start) => html.slice(start, start + TAG_CHARACTERS_MAX).toLowerCase());
  return tags.some((tag) => tag.includes(name)) ? "own" : "foreign";
}

/** Where the tags begin that name a message. Reads the page only once. */
function messageStarts(html: string): readonly number[] {
  const starts: number[] = [];
  let from = 0;
  while (starts.length < MESSAGES_MAX) {
    const at = html.indexOf(NAME, from);
    if (at === -1) break;
    const before = html.slice(Math.max(from, at - TAG_CHARACTERS_MAX), at);
    const tag = before.lastIndexOf("<");
    if (tag !== -1 && isWithinTag(before.slice(tag))) starts.push(at - before.length + tag);
    from = at + NAME.length;
  }
  return starts;
}

/** Whether the text, from a tag's start on, is still inside the tag and outside its values. */
function isWithinTag(text: string): boolean {
  return !text.includes(">") && countUpTo(text, '"', TAG_CHARACTERS_MAX) % 2 === 0;
}
