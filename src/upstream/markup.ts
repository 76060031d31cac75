import { success } from "../contract/result.ts";
import type { Answer } from "./answer.ts";
import { drifted } from "./drift.ts";
import { countUpTo } from "./json.ts";

/**
 * Elements and texts of one page that handlers are told of. Each costs a call from the parser, 6 µs
 * (workerd, 2026-11). A message of 1,024 characters that are all emoji has 2,050 of them; recorded pages
 * have up to 30.
 */
const PARTS_MAX = 2_500;

/** Tags of one page; recorded pages have up to 500. A tag that nobody listens to costs 0.2 µs. */
const TAGS_MAX = 65_000;

/** The parser stops at a piece's end. Most pages are one piece, since each costs 50 µs. */
const TAGS_A_PIECE_MIN = 250;
/** An element, its text, and that text's end. */
const PARTS_A_TAG = 3;

/** What listens to markup, as {@link HTMLRewriter} takes it. */
export interface Listeners {
  readonly on: (selector: string, handlers: Handlers) => Listeners;
}

interface Handlers {
  readonly element?: (element: Element) => void;
  readonly text?: (text: TextPart) => void;
}

interface TextPart {
  readonly text: string;
  readonly lastInTextNode: boolean;
}

/** Reads the markup of one page, or parts of it one by one, up to as much as any page has. */
export class MarkupReader {
  #partsLeft = PARTS_MAX;

  /** Drift if the markup cannot be read, or if the page has too much of it. */
  async read(html: string, attach: (listeners: Listeners) => void): Promise<Answer<null>> {
    if (countUpTo(html, "<", TAGS_MAX) > TAGS_MAX) return drifted("markup: too much", "body", html);
    const rewriter = new HTMLRewriter();
    const listeners: Listeners = {
      on: (selector, handlers) => {
        rewriter.on(selector, this.#counting(handlers));
        return listeners;
      },
    };
    attach(listeners);
    try {
      await rewriter.transform(new Response(this.#pieces(html))).arrayBuffer();
    } catch (thrown) {
      return drifted(`markup: ${String(thrown)}`, "body", html);
    }
    return this.#partsLeft < 0 ? drifted("markup: too many parts", "body", html) : success(null);
  }

  #counting({ element, text }: Handlers): Handlers {
    return {
      ...(element && { element: (one) => this.#count(() => element(one)) }),
      ...(text && { text: (one) => this.#count(() => text(one)) }),
    };
  }

  #count(handle: () => void): void {
    this.#partsLeft--;
    if (this.#partsLeft >= 0) handle();
  }

  /**
   * The page in pieces, until there were too many parts: nothing else ends the runtime's parser early. Each
   * piece ends before a tag, so that no text is cut.
   */
  #pieces(html: string): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let from = 0;
    const pull = (to: ReadableStreamDefaultController<Uint8Array>) => {
      if (from === html.length || this.#partsLeft < 0) return to.close();
      const tags = Math.max(TAGS_A_PIECE_MIN, Math.floor(this.#partsLeft / PARTS_A_TAG));
      const end = positionOfTag(html, from, tags);
      to.enqueue(encoder.encode(html.slice(from, end)));
      from = end;
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}

/** Where so many tags further on a tag begins, or the end. */
function positionOfTag(html: string, start: number, tags: number): number {
  let at = start;
  for (let tag = 0; tag < tags && at !== -1; tag++) at = html.indexOf("<", at + 1);
  return at === -1 ? html.length : at;
}
