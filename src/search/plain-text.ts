/** What may stand in the place of a line break. */
const LINE_BREAK = /^[\r\u0085\u2028\u2029]/;

/**
 * What plain text has no use for: line breaks of other kinds, control characters, and the bidirectional
 * overrides, embeddings and isolates, which can turn round the text around them. The marks that words
 * in Arabic or Hebrew and emoji consist of stay (U+200C to U+200F, U+061C).
 */
const ODD = /\r\n?|[\u0085\u2028\u2029]|(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/** Much more than is ever removed: a text beyond is cut before it is cleaned. */
const UNCLEANED_FACTOR = 4;

/** Longer than any character that somebody has written on purpose, in code units. */
const CHARACTER_MAX = 64;

/**
 * What a platform's text goes out as: trimmed, well-formed, without control characters but `\n`, at
 * most `maxUnits` UTF-16 code units; null when nothing is left. It is never cut within a character as
 * readers see it, such as an emoji of several parts.
 */
export function plainText(text: string | null, maxUnits: number): string | null {
  if (text === null) return null;
  const raw = text.trimStart().slice(0, maxUnits * UNCLEANED_FACTOR);
  const plain = raw.toWellFormed().replace(ODD, replacementOf).trim();
  return cut(plain, maxUnits).trimEnd() || null;
}

function replacementOf(odd: string): string {
  if (LINE_BREAK.test(odd)) return "\n";
  return odd === "\t" ? " " : "";
}

function cut(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, lastBoundary(text, maxUnits));
}

/** Where the character begins that would go beyond the end; one that is endless is cut all the same. */
function lastBoundary(text: string, maxUnits: number): number {
  const characters = new Intl.Segmenter("en").segment(text.slice(0, maxUnits + CHARACTER_MAX));
  const begin = characters.containing(maxUnits)?.index ?? maxUnits;
  if (begin >= maxUnits - CHARACTER_MAX) return begin;
  return /[\udc00-\udfff]/.test(text.charAt(maxUnits)) ? maxUnits - 1 : maxUnits;
}
