import { success } from "../../contract/result.ts";
import type { Post } from "../../search/resolver.ts";
import type { Answer } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { decodeEntities } from "../../upstream/entities.ts";
import { onEnd, plain, withoutLineBreaks } from "../../upstream/markup-text.ts";
import { type Medium, type Message, shows } from "./message.ts";

/** Parts of a message that show other content: the message it replies to, the page it links to. */
const FOREIGN = ".tgme_widget_message_reply, .tgme_widget_message_link_preview";
const PLAYERS = [
  ".tgme_widget_message_video_player",
  ".tgme_widget_message_roundvideo_player",
] as const;
const FILES = PLAYERS.flatMap((player) => [`${player} video`, `${player} source`]);

/** The name `<channel>/<number>`. Only a message's outermost element has it. */
export const NAME = "data-post=";

/** A preview has about 20 messages. Each one with the post's number costs a rewriter. */
const MESSAGES_MAX = 100;

/** A tag that names a message has about 150 characters. */
const TAG_CHARACTERS_MAX = 500;

/** Texts that replace a message in a page, or media in a message. */
const NOTICES = ".tgme_widget_message_error, .message_media_not_supported_label";

/**
 * Finds the message that is the post, or whose album contains it, in an embed or preview page. Null
 * if the page does not have it. Ignores stickers, documents, polls, link previews and replies
 * (markup as in BroadcastChannel, 2025-11, and recordings up to 2026-08). Of a preview's 20
 * messages it parses only those that contain the post's number.
 */
export async function findMessage(html: string, post: Post): Promise<Answer<Message | null>> {
  const number = `/${Number(post.id)}`;
  const starts = messageStarts(html);
  for (const [index, start] of starts.entries()) {
    const part = html.slice(start, starts[index + 1]);
    if (!part.includes(number)) continue;
    const reader = new MessageReader();
    const rewriter = new HTMLRewriter();
    reader.attach(rewriter);
    const read = await run(rewriter, part);
    if (!read.ok) return read;
    const { message } = reader;
    if (message === null || !shows(message, post)) continue;
    const isShown = message.media.some(({ url }) => url !== null);
    return success({ ...message, label: isShown ? "" : await readNotice(part) });
  }
  return success(null);
}

/** What a page says instead of a message, such as "Post not found". Otherwise empty. */
export async function noticeOf(html: string): Promise<string> {
  return readNotice(html.slice(0, messageStarts(html)[0]));
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
    const before = html.slice(from, at);
    const tag = before.lastIndexOf("<");
    if (tag !== -1 && isWithinTag(before.slice(tag))) starts.push(from + tag);
    from = at + NAME.length;
  }
  return starts;
}

/** Whether the text, from a tag's start on, is still inside the tag and outside its values. */
function isWithinTag(text: string): boolean {
  return !text.includes(">") && text.split('"').length % 2 === 1;
}

async function readNotice(html: string): Promise<string> {
  const texts: string[] = [];
  const rewriter = new HTMLRewriter();
  rewriter.on(NOTICES, { text: ({ text }) => void texts.push(text) });
  await run(rewriter, html);
  return plain(texts.join(""));
}

async function run(rewriter: HTMLRewriter, html: string): Promise<Answer<null>> {
  try {
    await rewriter.transform(new Response(html)).text();
    return success(null);
  } catch (thrown) {
    return drifted(`markup: ${String(thrown)}`, "body", html);
  }
}

/** Collects a message's parts while its markup streams through a rewriter. */
class MessageReader {
  message: Message | null = null;
  #foreignDepth = 0;
  /** Whether the caption is more than blanks so far. */
  #hasText = false;

  attach(rewriter: HTMLRewriter): void {
    rewriter
      .on(".tgme_widget_message[data-post]", { element: (root) => this.#begin(root) })
      .on(FOREIGN, { element: (part) => this.#skip(part) })
      .on(".tgme_widget_message_photo_wrap", {
        element: (photo) => this.#add("image", backgroundOf(photo), photo),
      })
      .on(".tgme_widget_message_voice", {
        element: (voice) => this.#add("audio", addressIn(voice, "src"), voice),
      })
      .on(PLAYERS.join(), { element: (video) => this.#add("video", null, video) })
      .on(FILES.join(), { element: (file) => this.#fill(file) })
      .on('.message_media_view_in_telegram[href*=".mp4"]', {
        element: (link) => this.#follow(link),
      })
      .on(".tgme_widget_message_text", {
        element: () => this.#addBlock(),
        text: ({ text }) => this.#addCaption(withoutLineBreaks(text)),
      })
      .on(".tgme_widget_message_text br", { element: () => this.#addCaption("\n") });
  }

  /** Null inside parts that are not the message's own. */
  get #own(): Message | null {
    return this.#foreignDepth > 0 ? null : this.message;
  }

  #begin(root: Element): void {
    const [channel = "", number = ""] = (root.getAttribute("data-post") ?? "").split("/");
    const isService = /\bservice_message\b/.test(root.getAttribute("class") ?? "");
    const empty = { media: [], caption: "", label: "" };
    this.message = { channel, number: Number(number), isService, ...empty };
  }

  #skip(part: Element): void {
    const isOpen = onEnd(part, () => {
      this.#foreignDepth = Math.max(0, this.#foreignDepth - 1);
    });
    if (isOpen) this.#foreignDepth++;
  }

  #add(type: Medium["type"], url: string | null, element: Element): void {
    const number = numberIn(element.getAttribute("href") ?? "");
    this.#own?.media.push({ type, url, number });
  }

  /** A player has its file twice if a blurred copy fills the background. */
  #fill(file: Element): void {
    const player = this.#own?.media.at(-1);
    if (player?.type === "video") player.url ??= addressIn(file, "src");
  }

  /**
   * Usually a link to the message. Once it was a link to the file, instead of a video element
   * (2026-08).
   */
  #follow(link: Element): void {
    const url = addressIn(link, "href", /\.mp4$/);
    const last = this.#own?.media.at(-1);
    if (url === null) return;
    if (last?.type === "video") last.url ??= url;
    else this.#add("video", url, link);
  }

  /** A nested block, as in albums, begins before any text. A block after text begins a new line. */
  #addBlock(): void {
    if (this.#hasText) this.#addCaption("\n");
  }

  #addCaption(text: string): void {
    const message = this.#own;
    if (message === null) return;
    message.caption += text;
    this.#hasText ||= text.trim() !== "";
  }
}

/** The number that an address ends in; null where it ends in none. */
function numberIn(address: string): number | null {
  const [path = ""] = address.split("?", 1);
  const last = path.slice(path.lastIndexOf("/") + 1);
  return path.includes("/") && /^\d{1,10}$/.test(last) ? Number(last) : null;
}

/** The rewriter gives attributes as written, without decoding their references. */
function addressIn(element: Element, attribute: string, path = /./): string | null {
  const url = parseAddress(decodeEntities(element.getAttribute(attribute) ?? ""));
  return url !== null && path.test(url.pathname) ? url.href : null;
}

const BACKGROUND = "background-image:";

function backgroundOf(element: Element): string | null {
  const style = decodeEntities(element.getAttribute("style") ?? "");
  const at = style.indexOf(BACKGROUND);
  const value = at === -1 ? "" : style.slice(at + BACKGROUND.length).trimStart();
  const address = /^url\(["']?([^"'()]*)["']?\)/.exec(value)?.[1];
  return parseAddress(address ?? "")?.href ?? null;
}

/** Some URLs have no scheme. */
function parseAddress(address: string): URL | null {
  return URL.parse(address.replace(/^\/\//, "https://"));
}
