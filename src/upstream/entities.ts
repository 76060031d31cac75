import { decodeXML } from "entities/decode";

/**
 * Decodes the character references in text and attributes: numeric ones, the five of XML, and
 * `&nbsp;`. HTML's two thousand other names would add 13 KB (gzip) to the bundle. None of the
 * recorded replies uses them: they contain such characters directly (2026-10).
 */
export function decodeEntities(text: string): string {
  return decodeXML(text.replaceAll("&nbsp;", "\u00a0"));
}
