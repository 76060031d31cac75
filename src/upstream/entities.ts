import { decodeXML } from "entities/decode";

/**
 * Decodes the character references that platforms write into text and attributes: numeric ones, the
 * five of XML, and `&nbsp;`. HTML's two thousand other names would cost the bundle 13 KB (gzip) and
 * appear in none of the recorded replies, which carry such characters as themselves (2026-10).
 */
export function decodeEntities(text: string): string {
  return decodeXML(text.replaceAll("&nbsp;", "\u00a0"));
}
