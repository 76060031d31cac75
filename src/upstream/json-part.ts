const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Ten times the longest that is looked for (pages recorded up to 2025). */
const PART_CHARACTERS_MAX = 400_000;

/**
 * The text of the first object with this name in a JSON text, wherever it lies. Null if there is none,
 * if the text ends inside it, or if it is longer than any that is looked for. Parsing only it saves parsing the rest. A name cannot be inside a
 * string, where its quotes would be escaped.
 */
export function objectNamed(json: string, name: string): string | null {
  const key = `"${name}"`;
  const at = json.indexOf(key);
  const opening = /\s*:\s*\{/y;
  opening.lastIndex = at + key.length;
  if (at === -1 || !opening.test(json)) return null;
  const start = opening.lastIndex - 1;
  const part = json.slice(start, start + PART_CHARACTERS_MAX);
  let depth = 0;
  for (let end = 0; end < part.length; end++) {
    const code = part.charCodeAt(end);
    if (code === QUOTE) end = lastOfString(part, end);
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return part.slice(0, end + 1);
  }
  return null;
}

/** The position of the quote that ends the string, or of the text's end. */
function lastOfString(json: string, start: number): number {
  let at = json.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(json, at)) at = json.indexOf('"', at + 1);
  return at === -1 ? json.length : at;
}

function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
