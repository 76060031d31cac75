const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/**
 * The text of the first object with this name in a JSON text, wherever it lies. Null if there is none,
 * or if the text ends inside it. Parsing only it saves parsing the rest. A name cannot be inside a
 * string, where its quotes would be escaped.
 */
export function objectNamed(json: string, name: string): string | null {
  const key = `"${name}"`;
  const at = json.indexOf(key);
  const opening = /\s*:\s*\{/y;
  opening.lastIndex = at + key.length;
  if (at === -1 || !opening.test(json)) return null;
  const start = opening.lastIndex - 1;
  let depth = 0;
  for (let end = start; end < json.length; end++) {
    const code = json.charCodeAt(end);
    if (code === QUOTE) end = lastOfString(json, end);
    else if (code === OPEN) depth++;
    else if (code === CLOSE && --depth === 0) return json.slice(start, end + 1);
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
