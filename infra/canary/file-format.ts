import type { MediaItem } from "../../src/contract/schemas.ts";

/** A format of files, and the types of items that may have it. */
export interface FileFormat {
  readonly name: string;
  readonly types: readonly MediaItem["type"][];
}

type Sign = (start: string) => boolean;

const IMAGE = ["image"] as const;
const AUDIO = ["audio"] as const;
const FILM = ["video", "audio"] as const;

/** Where an MP4 file and a RIFF file say what they hold, in bytes. */
const BRAND_AT = 8;

const begins =
  (...signs: readonly string[]): Sign =>
  (start) =>
    signs.some((sign) => start.startsWith(sign));
const riff =
  (form: string): Sign =>
  (start) =>
    start.startsWith("RIFF") && start.startsWith(form, BRAND_AT);
/** The family of MP4. Without brands, any of it. */
const mp4 =
  (...brands: readonly string[]): Sign =>
  (start) =>
    start.startsWith("ftyp", 4) &&
    (brands.length === 0 || brands.some((brand) => start.startsWith(brand, BRAND_AT)));

/** How files begin, with each byte as one character (Latin-1). The first that fits counts. */
const FORMATS: readonly (FileFormat & { readonly fits: Sign })[] = [
  { name: "JPEG", types: IMAGE, fits: begins("\xff\xd8\xff") },
  { name: "PNG", types: IMAGE, fits: begins("\x89PNG\r\n\x1a\n") },
  { name: "GIF", types: IMAGE, fits: begins("GIF87a", "GIF89a") },
  { name: "WebP", types: IMAGE, fits: riff("WEBP") },
  { name: "AVIF", types: IMAGE, fits: mp4("avif", "avis") },
  { name: "HEIC", types: IMAGE, fits: mp4("heic", "heix", "mif1") },
  { name: "M4A", types: AUDIO, fits: mp4("M4A ") },
  { name: "MP4", types: FILM, fits: mp4() },
  { name: "WebM", types: FILM, fits: begins("\x1aE\xdf\xa3") },
  { name: "Ogg", types: AUDIO, fits: begins("OggS") },
  { name: "WAV", types: AUDIO, fits: riff("WAVE") },
  { name: "FLAC", types: AUDIO, fits: begins("fLaC") },
  {
    name: "MP3",
    types: AUDIO,
    fits: begins("ID3", "\xff\xfb", "\xff\xfa", "\xff\xf3", "\xff\xf2"),
  },
  { name: "AAC", types: AUDIO, fits: begins("\xff\xf1", "\xff\xf9") },
  { name: "HTML", types: [], fits: (start) => /^\s{0,64}<(?:!doctype|html)/i.test(start) },
  { name: "XML", types: [], fits: (start) => /^\s{0,64}<\?xml/.test(start) },
  { name: "JSON", types: [], fits: (start) => /^\s{0,64}[{[]/.test(start) },
];

/** The format that a file's first bytes show; null for an unknown one. */
export function formatOf(start: Uint8Array): FileFormat | null {
  const text = Buffer.from(start).toString("latin1");
  return FORMATS.find(({ fits }) => fits(text)) ?? null;
}
