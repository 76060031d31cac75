import { parseAddress } from "../../upstream/addresses.ts";
import { decodeEntities } from "../../upstream/entities.ts";
import type { Listeners } from "../../upstream/markup.ts";
import { onEnd, roomFor, withoutLineBreaks } from "../../upstream/markup-text.ts";
import type { Medium, Message } from "./message.ts";

/** Parts of a message that show other content: the message it replies to, the page it links to. */
const FOREIGN = ".tgme_widget_message_reply, .tgme_widget_message_link_preview";
const PLAYERS = [
  ".tgme_widget_message_video_player",
  ".tgme_widget_message_roundvideo_player",
] as const;
const FILES = PLAYERS.flatMap((player) => [`${player} video`, `${player} source`]);

/** Texts that replace media in a message. */
export const LABEL = ".message_media_not_supported_label";

/** Parts that only media have (recordings up to 2026-08). */
export const MEDIA_PARTS = [
  ".grouped_media_wrap",
  ".message_video_duration",
  ".tgme_widget_message_photo",
  ".tgme_widget_message_video_thumb",
  ".tgme_widget_message_voice_player",
].join();

/** Collects a message's parts while its markup is read. */
export class MessageReader {
  message: Message | null = null;
  #foreignDepth = 0;
  /** Whether the caption is more than blanks so far. */
  #hasText = false;

  attach(listeners: Listeners): void {
    listeners
      .on(".tgme_widget_message[data-post]", { element: (root) => this.#begin(root) })
      .on(FOREIGN, { element: (part) => this.#skip(part) })
      .on(".tgme_widget_message_photo_wrap", {
        element: (photo) => this.#add("image", backgroundOf(photo), photo),
      })
      .on(".tgme_widget_message_voice", {
        element: (voice) => this.#add("audio", addressIn(voice, "src"), voice),
      })
      .on(PLAYERS.join(), { element: (player) => this.#addPlayer(player) })
      .on(FILES.join(), { element: (file) => this.#fill(file) })
      .on(".message_media_view_in_telegram[href]", { element: (link) => this.#follow(link) })
      .on(".tgme_widget_message_text", {
        element: () => this.#addBlock(),
        text: ({ text }) => this.#addText(text),
      })
      .on(".tgme_widget_message_text br", { element: () => this.#addCaption("\n") });
  }

  /** Reads also why there is no file. Most messages have one, so this has a pass of its own. */
  attachReasons(listeners: Listeners): void {
    listeners
      .on(LABEL, { text: ({ text }) => this.#addLabel(text) })
      .on(MEDIA_PARTS, { element: () => this.#sawPart() });
  }

  /** Null inside parts that are not the message's own. */
  get #own(): Message | null {
    return this.#foreignDepth > 0 ? null : this.message;
  }

  #begin(root: Element): void {
    const [channel = "", number = ""] = (root.getAttribute("data-post") ?? "").split("/", 2);
    const isService = /\bservice_message\b/.test(root.getAttribute("class") ?? "");
    const empty = { media: [], caption: "", label: "", hasMediaParts: false };
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
    const isEmpty = url === null;
    this.#own?.media.push({ type, url, number, isEmpty, isKept: false, label: "" });
  }

  /** Its file follows in an element of its own. */
  #addPlayer(player: Element): void {
    this.#add("video", null, player);
    const last = this.#own?.media.at(-1);
    if (last === undefined) return;
    last.isKept = /\bnot_supported\b/.test(player.getAttribute("class") ?? "");
    last.isEmpty = false;
  }

  /** A player has its file twice if a blurred copy fills the background. */
  #fill(file: Element): void {
    const player = this.#own?.media.at(-1);
    if (player?.type !== "video") return;
    player.url ??= addressIn(file, "src");
    player.isEmpty = true;
  }

  /**
   * Usually a link to the message. Once it was a link to the file, instead of a video element
   * (2026-08).
   */
  #follow(link: Element): void {
    const url = addressIn(link, "href", /\.mp4$/);
    const last = this.#own?.media.at(-1);
    if (last?.type === "video") {
      last.url ??= url;
      last.isKept = true;
    } else if (url !== null) this.#add("video", url, link);
  }

  #addLabel(text: string): void {
    const message = this.#own;
    if (message === null) return;
    message.label += roomFor(text, message.label);
    const last = message.media.at(-1);
    if (last !== undefined) last.label += roomFor(text, last.label);
  }

  #sawPart(): void {
    const message = this.#own;
    if (message !== null) message.hasMediaParts = true;
  }

  /** A nested block, as in albums, begins before any text. A block after text begins a new line. */
  #addBlock(): void {
    if (this.#hasText) this.#addCaption("\n");
  }

  #addText(text: string): void {
    this.#addCaption(withoutLineBreaks(roomFor(text, this.message?.caption ?? "")));
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
  const url = withScheme(decodeEntities(element.getAttribute(attribute) ?? ""));
  return url !== null && path.test(url.pathname) ? url.href : null;
}

const BACKGROUND = "background-image:";

function backgroundOf(element: Element): string | null {
  const style = decodeEntities(element.getAttribute("style") ?? "");
  const at = style.indexOf(BACKGROUND);
  const value = at === -1 ? "" : style.slice(at + BACKGROUND.length).trimStart();
  const address = /^url\(["']?([^"'()]*)["']?\)/.exec(value)?.[1];
  return withScheme(address ?? "")?.href ?? null;
}

/** Some URLs have no scheme. */
function withScheme(address: string): URL | null {
  return parseAddress(address.replace(/^\/\//, "https://"));
}
