/**
 * Parses JSON and turns integers that a double cannot hold into strings of their digits. The
 * platforms' ids exceed 2^53, and a rounded id is another post's.
 * @throws SyntaxError if the text is no JSON, RangeError if it is nested too deeply
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (...[, value, context]: readonly unknown[]) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = sourceOf(context);
    return source !== null && /^-?\d+$/.test(source) ? source : value;
  });
}

/** The number as written: V8 gives a reviver a third argument since 2023. */
function sourceOf(context: unknown): string | null {
  const source: unknown =
    typeof context === "object" && context !== null ? Reflect.get(context, "source") : null;
  return typeof source === "string" ? source : null;
}
