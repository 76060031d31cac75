import { parseAddress } from "../../upstream/addresses.ts";
import type { File, Picture } from "./pin-schema.ts";

/** A picture has up to nine sizes (2024-11). */
const SIZES_MAX = 50;

/** What a reply says about an image's files. */
export interface ImageFiles {
  /**
   * The original if the reply names it, otherwise the largest image that it names. Null if there is
   * none.
   */
  readonly url: string | null;
  /** URLs where the original may be, if the reply does not name it. Empty if not needed. */
  readonly originals: readonly string[];
}

/** The original image, from the first picture that names one. Null if no picture has an image. */
export function chooseImage(
  ...pictures: readonly (Picture | null | undefined)[]
): ImageFiles | null {
  const files = pictures.flatMap(filesOf);
  const original = files.find(({ url }) => isOriginal(url));
  if (original !== undefined) return { url: original.url, originals: [] };
  const [largest] = files.toSorted((a, b) => b.width - a.width);
  if (largest !== undefined) return { url: largest.url, originals: resized(largest.url) };
  const signature = pictures.find((picture) => picture?.image_signature)?.image_signature;
  const originals = signed(signature ?? "");
  return originals.length === 0 ? null : { url: null, originals };
}

function filesOf(picture: Picture | null | undefined): readonly File[] {
  if (picture === null || picture === undefined) return [];
  const listed = Object.values(picture.images ?? {})
    .slice(0, SIZES_MAX)
    .map((image) => (typeof image === "string" ? { url: image, width: 0 } : image));
  return [
    ...listed,
    picture.image_spec_orig,
    picture.images_orig,
    picture.image_adjusted_spec_orig,
    picture.image_spec_736x,
    picture.images_736x,
  ]
    .filter((image) => image !== null && image !== undefined)
    .filter(({ url }) => !isPoster(url));
}

/** The frame that stands for a video until it plays (recordings of 2022). */
function isPoster(address: string): boolean {
  return parseAddress(address)?.pathname.startsWith("/videos/") === true;
}

function isOriginal(address: string): boolean {
  return parseAddress(address)?.pathname.startsWith("/originals/") === true;
}

/**
 * The path begins with the size. The original may be refused although smaller sizes work
 * (gallery-dl #8081).
 */
function resized(address: string): readonly string[] {
  const url = parseAddress(address);
  if (url === null || !/^\/\d+x\d*(?:_[A-Z]+)?\//.test(url.pathname)) return [];
  url.pathname = url.pathname.replace(/^\/[^/]+/, "/originals");
  return [url.href];
}

/**
 * The signature is the file's name; its first six digits name the folders. The extension is
 * unknown.
 */
function signed(signature: string): readonly string[] {
  const folders = /^([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{26}$/.exec(signature);
  if (folders === null) return [];
  const stem = `https://i.pinimg.com/originals/${folders.slice(1).join("/")}/${signature}`;
  return ["jpg", "png", "webp"].map((ending) => `${stem}.${ending}`);
}
