import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import type { Answer } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { isPlain } from "../../upstream/renditions.ts";

/** URLs of one file, in any of the platform's forms. Empty if there is none. */
export const addressesSchema = z.pipe(
  z.optional(z.unknown()),
  z.transform((value) => addressesIn(value, 0).slice(0, ADDRESSES_MAX)),
);

/** A file has up to four (2026-10). */
const ADDRESSES_MAX = 20;

/** A list lies in an object, its entries may be objects too. */
const MAX_DEPTH = 3;
const LIST_KEYS = ["url_list", "urlList", "url"];

function addressesIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    return value.slice(0, ADDRESSES_MAX).flatMap((entry: unknown) => addressesIn(entry, depth + 1));
  }
  const key = LIST_KEYS.find((name) => name in value);
  const list: unknown = key === undefined ? null : Reflect.get(value, key);
  return addressesIn(list, depth + 1);
}

/**
 * The URLs that anybody can fetch. Leaves out those that the site itself serves (yt-dlp #11034),
 * those bound to the cookie of one visit (observed 2026-10), and files with a watermark.
 */
export function openAddresses(urls: readonly string[]): readonly string[] {
  return urls.filter((address) => {
    const url = parseAddress(address);
    if (url?.protocol !== "https:" || url.hostname === "www.tiktok.com") return false;
    if (url.pathname.includes("/playwm/") || url.searchParams.get("watermark") === "1")
      return false;
    return url.searchParams.get("tk") !== "tt_chain_token";
  });
}

/**
 * The URLs of a video's file, H.264 before the paths that are marked as HEVC (yt-dlp #16622). An
 * image post has its sound in place of the video (cobalt, 2026-04), which is left out.
 */
export function videoAddresses(urls: readonly string[]): readonly string[] {
  return openAddresses(urls)
    .filter((url) => !/[?&]mime_type=audio/.test(url))
    .toSorted((a, b) => Number(isPlain(b)) - Number(isPlain(a)));
}

/** An image post: its images in order, as JPEG if possible, then its sound. */
export function readSlideshow(
  images: readonly (readonly string[])[],
  sound: readonly string[],
): Answer<readonly MediaItem[]> {
  const items = images.flatMap((urls): readonly MediaItem[] => {
    const open = openAddresses(urls);
    const url = open.find((address) => address.includes(".jpeg?")) ?? open[0];
    return url === undefined ? [] : [{ type: "image", url }];
  });
  if (items.length < images.length) {
    const cause = `incomplete item: ${items.length} of ${images.length} images`;
    return drifted(cause, "images", images.flat().join(" "));
  }
  const [audio] = openAddresses(sound);
  return success(audio === undefined ? items : [...items, { type: "audio", url: audio }]);
}

/** A puzzle for browsers instead of a page. We do not solve it (yt-dlp, 2026-08). */
export function isChallenge(html: string): boolean {
  const isPuzzle = html.includes("Please wait...") && html.includes('id="cs"');
  return isPuzzle || /captcha|verify|wafchallenge/i.test(html.slice(0, 5_000));
}
