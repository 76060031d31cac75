import { parseAddress } from "../../upstream/addresses.ts";
import { amount, isPlain } from "../../upstream/renditions.ts";
import { isObject } from "./resource-names.ts";

/** One file or playlist of a video. */
interface Rendition {
  /** For example `v720p` or `vexp7`. */
  readonly key: string;
  readonly url: string;
  readonly width: number;
}

/** What a reply says about a video's files. */
export interface VideoFiles {
  /** The progressive MP4 to return. Null if the reply names none. */
  readonly url: string | null;
  /** MP4 files that may lie beside a playlist, most likely first. Empty if not needed. */
  readonly siblings: readonly string[];
}

/** A video has up to a dozen (2024-11). */
const RENDITIONS_MAX = 100;

/** Lists of renditions: directly in a pin's `videos`, one level deeper in a page's block. */
const MAX_DEPTH = 3;

/**
 * Chooses a rendition: `V_720P`, then `V_EXP7` down to `V_EXP3`, then the widest other H.264 file
 * (public extractors, 2026-10; in the recordings EXP7 is the 720p file). Uses HEVC only if there is
 * nothing else, and never a playlist or manifest.
 */
export function chooseVideo(...lists: readonly unknown[]): VideoFiles {
  const renditions = lists.flatMap((list) => renditionsIn(list)).slice(0, RENDITIONS_MAX);
  const files = renditions
    .filter(({ url }) => /\.mp4$/i.test(pathOf(url)))
    .toSorted((a, b) => rank(b) - rank(a));
  const [best] = files;
  if (best !== undefined && !isHevc(best)) return { url: best.url, siblings: [] };
  const playlists = new Set(renditions.map(({ url }) => url));
  return { url: best?.url ?? null, siblings: [...playlists].flatMap(siblingsOf) };
}

function renditionsIn(value: unknown, key = "", depth = 0): readonly Rendition[] {
  if (!isObject(value) || depth > MAX_DEPTH) return [];
  const { url, width } = value;
  if (typeof url === "string") {
    return [{ key: key.replaceAll("_", ""), url, width: amount.parse(width) }];
  }
  return Object.entries(value).flatMap(([name, item]) => renditionsIn(item, name, depth + 1));
}

function rank(rendition: Rendition): number {
  const { key, width } = rendition;
  if (isHevc(rendition)) return -1;
  if (key === "v720p") return 2e6;
  const tier = /^vexp(\d)$/.exec(key)?.[1];
  return tier === undefined ? width : 1e6 + Number(tier);
}

function isHevc({ key, url }: Rendition): boolean {
  return /hevc|h265/i.test(key) || !isPlain(url);
}

/**
 * URLs where the MP4 files of an HLS playlist may be. A public worker tries the first four
 * (2026-10); the recordings of 2024 name the others.
 */
function siblingsOf(playlist: string): readonly string[] {
  const path = /^\/videos\/(?:iht|mc)\/hls\/((?:[0-9a-f]{2}\/){3}[0-9a-f]{32})(?:_\w+)?\.m3u8$/;
  const stem = path.exec(pathOf(playlist))?.[1];
  if (stem === undefined) return [];
  return [
    `iht/expMp4/${stem}_720w.mp4`,
    `iht/720p/${stem}.mp4`,
    `mc/720p/${stem}.mp4`,
    `iht/expMp4/${stem}_t5.mp4`,
    `mc/expMp4/${stem}_t4.mp4`,
    `mc/expMp4/${stem}_t1.mp4`,
  ].map((file) => `https://v1.pinimg.com/videos/${file}`);
}

function pathOf(address: string): string {
  return parseAddress(address)?.pathname ?? "";
}
