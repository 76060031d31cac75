import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Answer } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";

/** URLs of one file, in any of the platform's forms. Empty if there is none. */
export const addressesSchema = z.catch(
  z.union([
    z.array(z.string()),
    z.pipe(
      z.string(),
      z.transform((url) => [url]),
    ),
    z.pipe(
      z.object({ url_list: z.array(z.string()) }),
      z.transform(({ url_list }) => url_list),
    ),
    z.pipe(
      z.object({ urlList: z.array(z.string()) }),
      z.transform(({ urlList }) => urlList),
    ),
  ]),
  [],
);

/**
 * The URLs that anybody can fetch. Leaves out those that the site itself serves (yt-dlp #11034),
 * and those bound to the cookie of one visit (observed 2026-10).
 */
export function openAddresses(urls: readonly string[]): readonly string[] {
  return urls.filter((address) => {
    const url = URL.parse(address);
    if (url?.protocol !== "https:" || url.hostname === "www.tiktok.com") return false;
    return url.searchParams.get("tk") !== "tt_chain_token";
  });
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
