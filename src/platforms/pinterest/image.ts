import type { File, Picture } from "./pin-schema.ts";

/** A picture has up to nine sizes (2024-11). */
const SIZES_MAX = 50;

/** What a reply says about an image's files. */
export interface ImageFiles {
  /** The original where the reply names it, or else the largest that it names; null for none. */
  readonly url: string | null;
  /** Where the original may lie when the reply does not name it; empty when none is needed. */
  readonly originals: readonly string[];
}

/** A medium's original, from the first of its pictures that names one. Null when none has an image. */
export function chooseImage(
  ...pictures: readonly (Picture | null | undefined)[]
): ImageFiles | null {
  const files = pictures.flatMap(filesOf);
  const original = files.find(({ url }) => isOriginal(url));
  if (original !== undefined) return { url: original.url, originals: [] };
  const [largest] = files.toSorted((a, b) => (b.width ?? 0) - (a.width ?? 0));
  if (largest !== undefined) return { url: largest.url, originals: resized(largest.url) };
  const signature = pictures.find((picture) => picture?.image_signature)?.image_signature;
  const originals = signed(signature ?? "");
  return originals.length === 0 ? null : { url: null, originals };
}

function filesOf(picture: Picture | null | undefined): readonly File[] {
  if (picture === null || picture === undefined) return [];
  const listed = Object.values(picture.images ?? {})
    .slice(0, SIZES_MAX)
    .map((image) => (typeof image === "string" ? { url: image } : image));
  return [
    ...listed,
    picture.image_spec_orig,
    picture.images_orig,
    picture.image_adjusted_spec_orig,
    picture.image_spec_736x,
    picture.images_736x,
  ].filter((image) => image !== null && image !== undefined);
}

function isOriginal(address: string): boolean {
  return URL.parse(address)?.pathname.startsWith("/originals/") === true;
}

/** The path begins with the size; the original may be refused where smaller ones work (gallery-dl #8081). */
function resized(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null || !/^\/\d+x\d*(?:_[A-Z]+)?\//.test(url.pathname)) return [];
  url.pathname = url.pathname.replace(/^\/[^/]+/, "/originals");
  return [url.href];
}

/** A signature is the file's name, and its first six digits the folders; the ending is not known. */
function signed(signature: string): readonly string[] {
  const folders = /^([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{26}$/.exec(signature);
  if (folders === null) return [];
  const stem = `https://i.pinimg.com/originals/${folders.slice(1).join("/")}/${signature}`;
  return ["jpg", "png", "webp"].map((ending) => `${stem}.${ending}`);
}
