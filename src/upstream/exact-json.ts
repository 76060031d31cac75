/**
 * Parses JSON in which integers that a double cannot hold become strings of their own digits: the
 * platforms' ids exceed 2^53, and an id that has been rounded is another post's.
 * @throws SyntaxError for a text that is no JSON, RangeError for one nested beyond reason
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (...[, value, context]: readonly unknown[]) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = sourceOf(context);
    return source !== null && /^-?\d+$/.test(source) ? source : value;
  });
}

/** The value as it was written; a reviver's third argument in V8 since 2023. */
function sourceOf(context: unknown): string | null {
  const source: unknown =
    typeof context === "object" && context !== null ? Reflect.get(context, "source") : null;
  return typeof source === "string" ? source : null;
}
