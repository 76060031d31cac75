import { parseJson } from "../../upstream/json.ts";
import { Script, ScriptReader } from "../../upstream/scripts.ts";
import { isObject } from "./resource-names.ts";

/** Twenty times the longest that has a pin (pages recorded 2024). */
const SCRIPT_CHARACTERS_MAX = 500_000;

type Data = Readonly<Record<string, unknown>>;

/**
 * Start of the name of the query for the page's own pin: `v3GetPinQuery` in recordings of 2024,
 * `v3GetPinQueryv2` in public extractors (2026). Other queries return other pins: those shown
 * beside it, and those of a profile.
 */
export const QUERY = "v3GetPinQuery";

/**
 * A pin's data in its page, merged from every script that has some of it. Parses only scripts that name
 * both the query and the pin: 14 to 25 KB of the page's 0.5 MB.
 *
 * A page has its pin up to three times, with different fields. The longest script wins, because
 * shorter ones leave out the parts of a story or a video (pages recorded 2024).
 */
export class PinSearch {
  readonly #id: string;
  readonly #scripts = new ScriptReader(() => true);
  readonly #found: { readonly length: number; readonly pin: Data }[] = [];

  constructor(id: string) {
    this.#id = id;
  }

  /** Whether this piece of the page ends a script after which no other can change the media. */
  take(piece: string): boolean {
    return this.#scripts
      .take(piece)
      .flatMap((script) => this.#read(script))
      .some(isImageOnly);
  }

  /** Null if the page so far is not this pin's. A reply without tags counts as one script. */
  end(html: string): Data | null {
    const rest = this.#scripts.rest();
    if (rest !== null) this.#read(rest);
    if (this.#found.length === 0 && !html.includes("<script")) this.#read(new Script("", [html]));
    const entries = this.#found
      .toSorted((a, b) => a.length - b.length)
      .flatMap(({ pin }) => Object.entries(pin).filter(([, value]) => value !== null));
    return entries.length === 0 ? null : Object.fromEntries(entries);
  }

  #read(script: Script): readonly Data[] {
    if (script.characters > SCRIPT_CHARACTERS_MAX) return [];
    if (!script.mentions(QUERY) || !script.mentions(this.#id)) return [];
    const text = script.text();
    const pins = pinsIn(parseData(text)).filter((pin) => isPin(pin, this.#id));
    for (const pin of pins) this.#found.push({ length: text.length, pin });
    return pins;
  }
}

/** What a pin may have instead of its image. */
const OTHER_KINDS = ["storyPinData", "carouselData", "videos", "embed"] as const;

/**
 * Whether a script says that the pin is its image and nothing else: it names all other kinds of media,
 * each as null. That is the second of a pin's scripts; the first does not name carousels. Of what is
 * no image, a later script may have more (pages recorded 2024).
 */
function isImageOnly(pin: Data): boolean {
  return isObject(pin["imageSpec_orig"]) && OTHER_KINDS.every((kind) => pin[kind] === null);
}

/**
 * The script is JSON or, since 2025, a call with JSON as argument. One recording has digits before
 * it.
 */
function parseData(script: string): unknown {
  return parseJson(script.slice(script.indexOf("{"), script.lastIndexOf("}") + 1));
}

function pinsIn(root: unknown): readonly Data[] {
  const answer = isObject(root) && isObject(root["response"]) ? root["response"] : root;
  const data = isObject(answer) && isObject(answer["data"]) ? answer["data"] : {};
  return Object.entries(data).flatMap(([query, result]) => {
    const pin = isObject(result) ? result["data"] : null;
    return query.startsWith(QUERY) && isObject(pin) ? [pin] : [];
  });
}

/**
 * Whether this is the requested pin. If somebody saved a pin, its canonical URL is that of the
 * original pin, which has the same media (page recorded 2024).
 */
function isPin(pin: Data, id: string): boolean {
  const join = pin["pinJoin"];
  const canonical = isObject(join) ? String(join["seoCanonicalUrl"]) : "";
  return pin["entityId"] === id || /^\/pin\/(?:[^/]+--)?(\d+)\/?$/.exec(canonical)?.[1] === id;
}
