import { success } from "../../contract/result.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import type { Answer } from "../../upstream/answer.ts";
import { decodeEntities } from "../../upstream/entities.ts";
import { type Listeners, MarkupReader } from "../../upstream/markup.ts";
import {
  onEnd,
  plain,
  roomFor,
  withoutBlanksAtBreaks,
  withoutLineBreaks,
} from "../../upstream/markup-text.ts";

/** What an embed page shows. */
export interface EmbedMarkup {
  /** Code of the first post that the page links to, which is the page's own post. */
  readonly code: string | null;
  /** Null if the page does not say. */
  readonly type: "photo" | "video" | "carousel" | "unknown" | null;
  readonly image: string | null;
  readonly video: string | null;
  /** The owner does not allow the video to play on other sites. */
  readonly isKept: boolean;
  /** Replaces a post that is removed, private, age-restricted, or not to be embedded (2026-10). */
  readonly isBroken: boolean;
  readonly author: string | null;
  readonly caption: string;
}

/** Reads the markup of an embed page (classes as in InstaFix, 2025-02, and pages seen until 2026-10). */
export async function readEmbedMarkup(html: string): Promise<Answer<EmbedMarkup>> {
  const reader = new EmbedReader();
  const read = await new MarkupReader().read(html, (listeners) => reader.attach(listeners));
  if (!read.ok) return read;
  const { author, caption, isKept, isBroken, image, video } = reader;
  const text = plain(withoutBlanksAtBreaks(caption));
  const name = plain(author) || null;
  const [, kind = "", code = null] = OWN_LINK.exec(html) ?? [];
  // Where the page does not say what it shows, its link may: these are always videos.
  const type = typeIn(html) ?? (/^(?:reel|tv)$/.test(kind) ? "video" : null);
  const shown = { image, video, isKept, isBroken, author: name, caption: text };
  return success({ code, type, ...shown });
}

/** Collects what the page shows while its markup is read. */
class EmbedReader {
  image: string | null = null;
  video: string | null = null;
  isKept = false;
  isBroken = false;
  author = "";
  caption = "";
  #captionDepth = 0;
  #foreignDepth = 0;
  /** Whether the author is more than blanks so far. */
  #isNamed = false;
  #hasAuthor = false;

  attach(listeners: Listeners): void {
    listeners
      .on(".EmbedBrokenMedia", { element: () => this.#mark("isBroken") })
      .on(".WatchOnInstagram", { element: () => this.#mark("isKept") })
      .on(".EmbeddedMediaImage", { element: (image) => this.#showImage(image) })
      .on(".EmbeddedMediaVideo", { element: (video) => this.#showVideo(video) })
      .on(".EmbeddedMediaVideo source", { element: (video) => this.#showVideo(video) })
      .on(".UsernameText", {
        text: ({ text, lastInTextNode }) => this.#name(text, lastInTextNode),
      })
      .on(".Caption", { element: (caption) => this.#enter(caption, "caption") })
      .on(".Caption .CaptionUsername", { element: (part) => this.#enter(part, "foreign") })
      .on(".Caption .CaptionComments", { element: (part) => this.#enter(part, "foreign") })
      .on(".Caption br", { element: () => this.#addCaption("\n") })
      .on(".Caption", { text: ({ text }) => this.#addText(text) });
  }

  #mark(what: "isBroken" | "isKept"): void {
    this[what] = true;
  }

  #showImage(image: Element): void {
    this.image ??= largest(image.getAttribute("srcset")) ?? addressIn(image.getAttribute("src"));
  }

  #showVideo(video: Element): void {
    this.video ??= addressIn(video.getAttribute("src"));
    if (this.video === null) this.isKept = true;
  }

  /** Collects the author's name once, although the page repeats it. */
  #name(text: string, isLast: boolean): void {
    if (this.#hasAuthor) return;
    this.author += roomFor(text, this.author);
    this.#isNamed ||= text.trim() !== "";
    this.#hasAuthor = isLast && this.#isNamed;
  }

  #enter(part: Element, what: "caption" | "foreign"): void {
    if (onEnd(part, () => this.#deepen(what, -1))) this.#deepen(what, 1);
  }

  #deepen(what: "caption" | "foreign", by: number): void {
    if (what === "caption") this.#captionDepth += by;
    else this.#foreignDepth += by;
  }

  #addText(text: string): void {
    this.#addCaption(withoutLineBreaks(roomFor(text, this.caption)));
  }

  #addCaption(text: string): void {
    if (this.#captionDepth > 0 && this.#foreignDepth === 0) this.caption += text;
  }
}

/** The page links to its own post first, and last to other posts of the account. */
const OWN_LINK = /(?:instagram\.com|")(?:\\?\/[\w.]+)?\\?\/(p|reel|tv)\\?\/([\w-]+)/;

function typeIn(html: string): EmbedMarkup["type"] {
  if (/data-media-type="\w*Sidecar"|\bisSidecar\\?":\s*true/.test(html)) return "carousel";
  const name = /data-media-type="(\w+)"/.exec(html)?.[1];
  if (name === undefined) return null;
  if (/^(?:XDT)?GraphVideo$/.test(name)) return "video";
  return /^(?:XDT)?GraphImage$/.test(name) ? "photo" : "unknown";
}

/** A photo has up to a dozen sizes, each of two words with about 500 characters (2026-10). */
const WORDS_MAX = 200;
const SRCSET_CHARACTERS_MAX = 100_000;

/**
 * The widest image of a `srcset`. A URL ends at white space, so its commas are its own. The comma
 * after a width ends an entry, with or without white space (pages seen until 2026-10).
 */
function largest(srcset: string | null): string | null {
  const images: { url: string; width: number }[] = [];
  let url = "";
  for (const word of (srcset ?? "").slice(0, SRCSET_CHARACTERS_MAX).split(/\s+/, WORDS_MAX)) {
    const [size, width = "", next = ""] = /^(\d{1,6})w(?:,(.*))?$/.exec(word) ?? [];
    if (size !== undefined) images.push({ url, width: Number(width) });
    url = size === undefined ? word.replace(/^,/, "") : next;
  }
  return addressIn(images.toSorted((a, b) => b.width - a.width)[0]?.url ?? null);
}

/** The rewriter gives attributes as written, without decoding their references. */
function addressIn(attribute: string | null): string | null {
  const url = parseAddress(decodeEntities(attribute ?? ""));
  return url?.protocol === "https:" ? url.href : null;
}
