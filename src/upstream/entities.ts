import { decodeXML } from "entities/decode";

/**
 * A text goes out with up to 10,000 characters, and a reference such as `&#x2019;` has up to 8 for one of
 * them. What stands beyond is neither collected nor decoded.
 */
export const TEXT_CHARACTERS_MAX = 100_000;

/**
 * Decodes the character references in text and attributes: numeric ones, the five of XML, and
 * `&nbsp;`. HTML's two thousand other names would add 13 KB (gzip) to the bundle. None of the
 * recorded replies uses them: they contain such characters directly (2026-10). Of a text that is longer
 * than any that goes out, decodes only the beginning.
 */
export function decodeEntities(text: string): string {
  const isLong = text.length > TEXT_CHARACTERS_MAX;
  const looked = isLong ? text.trimStart().slice(0, TEXT_CHARACTERS_MAX) : text;
  return decodeXML(looked.replaceAll("&nbsp;", "\u00a0"));
}
