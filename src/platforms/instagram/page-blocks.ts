import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { Media } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { JSON_VALUES_MAX, jsonValuesAtMost, parseJson } from "../../upstream/json.ts";
import { type Script, ScriptReader } from "../../upstream/scripts.ts";
import { isPostWith, type PostNames, readItem } from "./item.ts";
import { bareCode, pkOfCode } from "./shortcode.ts";
import { wholeMedia } from "./whole-item.ts";

/** A block without any of these keys holds no medium. */
const MEDIA_KEYS = [
  "xig_polaris_media",
  "video_versions",
  "carousel_media",
  "image_versions2",
] as const;

/** A page has a handful that name its post and hold media (recordings up to 2025-11). */
const BLOCKS_MAX = 40;

/** Items lie about 20 levels deep. This leaves room for more wrappers (2026-10). */
const MAX_DEPTH = 64;

const list = z.catch(z.array(z.unknown()), []);
const fullnessSchema = z.object({
  carousel_media: list,
  video_versions: list,
  image_versions2: z.catch(z.object({ candidates: list }), { candidates: [] }),
});

/** What the blocks of a page say about one post. */
interface Sightings {
  best: { readonly item: unknown; readonly fullness: number } | null;
  isGated: boolean;
  /** What the platform shows to visitors, if the block that says so has all of it. */
  shown: { readonly item: unknown; readonly media: Media } | null;
  /** The last block that names the post and holds media. Null if there is none. */
  block: string | null;
  isBroken: boolean;
}

/**
 * Finds the post's item among a page's JSON blocks. The page also carries other posts of the account,
 * and incomplete copies of the post itself (FxEmbed and yt-dlp, 2026-08). Parses only blocks that name
 * the post, as many as a page of the platform could have.
 */
export class ItemSearch {
  readonly #names: PostNames;
  readonly #scripts = new ScriptReader(isBlock);
  readonly #seen: Sightings = {
    best: null,
    isGated: false,
    shown: null,
    block: null,
    isBroken: false,
  };
  #left = { blocks: BLOCKS_MAX, values: JSON_VALUES_MAX };

  constructor(code: string) {
    this.#names = { code, bare: bareCode(code), pk: pkOfCode(code) };
  }

  /**
   * Whether nothing that may follow this piece of the page can better the answer: the post is gated,
   * or its item stands whole behind a gate that let us through. Other copies may be incomplete, and
   * may be gated further on.
   */
  take(piece: string): boolean {
    for (const script of this.#scripts.take(piece)) this.#read(script);
    return this.#seen.isGated || this.#seen.shown !== null;
  }

  /** The item. Null if no block so far names the post and has media. */
  end(): Answer<unknown> | null {
    const rest = this.#scripts.rest();
    if (rest !== null) this.#read(rest);
    return answerOf(this.#seen);
  }

  /** The media of the item that was found. */
  mediaOf(item: unknown): Answer<Media> {
    const { shown } = this.#seen;
    return shown !== null && shown.item === item ? success(shown.media) : readItem(item);
  }

  #read(script: Script): void {
    const [names, seen, left] = [this.#names, this.#seen, this.#left];
    if (left.blocks <= 0 || !(script.mentions(names.bare) || script.mentions(names.pk))) return;
    if (!MEDIA_KEYS.some((key) => script.mentions(`"${key}"`))) return;
    const block = script.text();
    const values = left.values - jsonValuesAtMost(block);
    this.#left = { blocks: values < 0 ? 0 : left.blocks - 1, values };
    if (values < 0) return;
    seen.block = block;
    const value = parseJson(block);
    if (value === undefined) seen.isBroken = true;
    collect(value, { names, seen, depth: 0 });
  }
}

function isBlock(tag: string): boolean {
  return tag.includes("application/json") && tag.includes("data-sjs");
}

function answerOf({ best, isGated, block, isBroken }: Sightings): Answer<unknown> | null {
  if (isGated) return notFound("gated for visitors without an account");
  if (best !== null) return success(best.item);
  if (block === null) return null;
  if (isBroken) return drifted("a media block that is no JSON", "body", block);
  return drifted("no item of the post", "code", block);
}

interface Search {
  readonly names: PostNames;
  readonly seen: Sightings;
  readonly depth: number;
}

function collect(value: unknown, { names, seen, depth }: Search): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (!Array.isArray(value)) consider(value, names, seen);
  const children: unknown[] = Object.values(value);
  for (const child of children) collect(child, { names, seen, depth: depth + 1 });
}

function consider(value: object, names: PostNames, seen: Sightings): void {
  const isOwn = isNamed(value) && isPostWith(value, names);
  if ("if_not_gated_logged_out" in value) {
    const inner = value.if_not_gated_logged_out;
    if (inner === null) seen.isGated ||= isOwn || !isNamed(value);
    else if (typeof inner === "object") lookBehindGate(inner, isOwn, { names, seen });
  }
  if (isOwn) keep(value, seen);
}

/** Sometimes only the gate has the name. */
function lookBehindGate(inner: object, isOwn: boolean, { names, seen }: Omit<Search, "depth">) {
  const hasName = isNamed(inner);
  if (isOwn && !hasName) keep(inner, seen);
  if (seen.shown !== null || !(hasName ? isPostWith(inner, names) : isOwn)) return;
  const media = wholeMedia(inner);
  if (media !== null) seen.shown = { item: inner, media };
}

function isNamed(value: object): boolean {
  return "code" in value || "pk" in value || "id" in value;
}

/** A list in an item's place has no media, like an item without any. */
function keep(item: object, seen: Sightings): void {
  const fullness = fullnessOf(item);
  if (fullness > (seen.best?.fullness ?? 0)) seen.best = { item, fullness };
}

/** Ranks a carousel above a video, and a video above an image. 0 for an item without media. */
function fullnessOf(item: object): number {
  const read = fullnessSchema.safeParse(item);
  if (!read.success) return 0;
  const { carousel_media, video_versions, image_versions2 } = read.data;
  if (carousel_media.length > 0) return 2 + carousel_media.length;
  if (video_versions.length > 0) return 2;
  return image_versions2.candidates.length > 0 ? 1 : 0;
}
