import { failed, type Result, success } from "../../result.ts";
import { decodeEntities } from "./entities.ts";
import { type Medium, type Message, plain } from "./telegram-message.ts";

export interface MessagePage {
  readonly messages: readonly Message[];
  /** What stands in place of any message, such as "Post not found"; otherwise empty. */
  readonly notice: string;
}

/** Parts of a message that show something else: the post it answers, the page it links to. */
const FOREIGN = [".tgme_widget_message_reply", ".tgme_widget_message_link_preview"] as const;
const PLAYERS = [
  ".tgme_widget_message_video_player",
  ".tgme_widget_message_roundvideo_player",
] as const;

/**
 * Reads every message of an embed or preview page. Stickers, documents, polls, link previews and
 * replies add no media (markup as in BroadcastChannel, 2025-11, and recordings up to 2026-08).
 */
export async function readMessages(html: string): Promise<Result<MessagePage>> {
  const reader = new MessageReader();
  try {
    await reader.attach(new HTMLRewriter()).transform(new Response(html)).text();
  } catch (thrown) {
    return failed("UPSTREAM_INVALID_RESPONSE", `markup: ${String(thrown)}`);
  }
  return success({ messages: reader.messages, notice: plain(reader.notice) });
}

/** Collects messages while the page streams through a rewriter. */
class MessageReader {
  readonly messages: Message[] = [];
  notice = "";
  #foreignDepth = 0;
  #isInCaption = false;

  attach(rewriter: HTMLRewriter): HTMLRewriter {
    rewriter.on(".tgme_widget_message[data-post]", { element: (root) => this.#begin(root) });
    for (const selector of FOREIGN) {
      rewriter.on(selector, { element: (part) => this.#skip(part) });
    }
    this.#attachMedia(rewriter);
    return rewriter
      .on(".tgme_widget_message_error", { text: ({ text }) => this.#note(text) })
      .on(".message_media_not_supported_label", { text: ({ text }) => this.#addLabel(text) })
      .on(".tgme_widget_message_text", {
        element: (text) => this.#openCaption(text),
        text: ({ text }) => this.#addCaption(text.replace(/\s*[\r\n]\s*/g, " ")),
      })
      .on(".tgme_widget_message_text br", { element: () => this.#addCaption("\n") });
  }

  #attachMedia(rewriter: HTMLRewriter): void {
    rewriter.on(".tgme_widget_message_photo_wrap", {
      element: (photo) => this.#add("image", backgroundOf(photo), photo),
    });
    rewriter.on(".tgme_widget_message_voice", {
      element: (voice) => this.#add("audio", addressIn(voice, "src"), voice),
    });
    for (const player of PLAYERS) {
      rewriter.on(player, { element: (video) => this.#add("video", null, video) });
      for (const file of [`${player} video`, `${player} source`]) {
        rewriter.on(file, { element: (video) => this.#fill(addressIn(video, "src")) });
      }
    }
    rewriter.on(".message_media_view_in_telegram", { element: (link) => this.#follow(link) });
  }

  get #message(): Message | undefined {
    return this.#foreignDepth > 0 ? undefined : this.messages.at(-1);
  }

  #begin(root: Element): void {
    const [channel = "", number = ""] = (root.getAttribute("data-post") ?? "").split("/");
    const isService = /\bservice_message\b/.test(root.getAttribute("class") ?? "");
    const empty = { media: [], caption: "", label: "" };
    this.messages.push({ channel, number: Number(number), isService, ...empty });
    this.#foreignDepth = 0;
    this.#isInCaption = false;
  }

  #skip(part: Element): void {
    this.#foreignDepth++;
    part.onEndTag(() => {
      this.#foreignDepth = Math.max(0, this.#foreignDepth - 1);
    });
  }

  #add(type: Medium["type"], url: string | null, element: Element): void {
    const number = /\/(\d{1,10})(?:\?.*)?$/.exec(element.getAttribute("href") ?? "")?.[1];
    this.#message?.media.push({ type, url, number: number === undefined ? null : Number(number) });
  }

  /** A player holds its file twice when a blurred copy fills the background. */
  #fill(url: string | null): void {
    const player = this.#message?.media.at(-1);
    if (player?.type === "video") player.url ??= url;
  }

  /** Usually it leads to the message; seen once in place of a video element, to the file (2026-08). */
  #follow(link: Element): void {
    const url = addressIn(link, "href", /\.mp4$/);
    const last = this.#message?.media.at(-1);
    if (url === null) return;
    if (last?.type === "video") last.url ??= url;
    else this.#add("video", url, link);
  }

  #openCaption(text: Element): void {
    if (this.#isInCaption || this.#message === undefined || this.#message.caption !== "") return;
    this.#isInCaption = true;
    text.onEndTag(() => {
      this.#isInCaption = false;
    });
  }

  #addCaption(text: string): void {
    if (this.#isInCaption && this.#message !== undefined) this.#message.caption += text;
  }

  #addLabel(text: string): void {
    if (this.messages.length === 0) this.#note(text);
    else if (this.#message !== undefined) this.#message.label += text;
  }

  #note(text: string): void {
    this.notice += text;
  }
}

/** Attributes come as written, with their references undecoded. */
function addressIn(element: Element, attribute: string, path = /./): string | null {
  const url = parseAddress(decodeEntities(element.getAttribute(attribute) ?? ""));
  return url !== null && path.test(url.pathname) ? url.href : null;
}

function backgroundOf(element: Element): string | null {
  const style = decodeEntities(element.getAttribute("style") ?? "");
  const address = /background-image:\s*url\((["']?)(.*?)\1\)/.exec(style)?.[2];
  return parseAddress(address ?? "")?.href ?? null;
}

/** Some addresses leave out the scheme. */
function parseAddress(address: string): URL | null {
  return URL.parse(address.replace(/^\/\//, "https://"));
}
