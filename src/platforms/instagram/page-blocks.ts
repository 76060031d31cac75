import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { JSON_VALUES_MAX, jsonValuesAtMost, parseJson } from "../../upstream/json.ts";
import { scriptsWith } from "../../upstream/scripts.ts";
import { isPostWith, type PostNames } from "./item.ts";
import { bareCode, pkOfCode } from "./shortcode.ts";

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
  /** The last block that names the post and holds media. Null if there is none. */
  block: string | null;
  isBroken: boolean;
}

/**
 * Finds the post's item among a page's JSON blocks. Null if no block names the post and has media.
 * The page also carries other posts of the account, and incomplete copies of the post itself
 * (FxEmbed and yt-dlp, 2026-08). Parses only blocks that name the post.
 */
export function findItem(html: string, code: string): Answer<unknown> | null {
  const names = { code, bare: bareCode(code), pk: pkOfCode(code) };
  const seen: Sightings = { best: null, isGated: false, block: null, isBroken: false };
  for (const block of blocksNaming(html, names)) {
    seen.block = block;
    const value = parseJson(block);
    if (value === undefined) seen.isBroken = true;
    collect(value, { names, seen, depth: 0 });
  }
  return answerOf(seen);
}

/** The blocks that name the post and hold media, as many as a page of the platform could have. */
function* blocksNaming(html: string, { bare, pk }: PostNames): Generator<string> {
  let left = { blocks: BLOCKS_MAX, values: JSON_VALUES_MAX };
  for (const block of scriptsWith(html, ["application/json", "data-sjs"])) {
    if (!block.includes(bare) && !block.includes(pk)) continue;
    if (!MEDIA_KEYS.some((key) => block.includes(`"${key}"`))) continue;
    left = { blocks: left.blocks - 1, values: left.values - jsonValuesAtMost(block) };
    if (left.blocks < 0 || left.values < 0) return;
    yield block;
  }
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
    // Sometimes only the wrapper has the name.
    if (isOwn && typeof inner === "object" && inner !== null && !isNamed(inner)) keep(inner, seen);
  }
  if (isOwn) keep(value, seen);
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
