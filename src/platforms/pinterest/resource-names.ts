/** Deeper than any field that we read (10 levels in replies recorded up to 2024-11). */
const MAX_DEPTH = 14;

/**
 * Renames an object's fields to the resource endpoint's names, in lower case, so that one schema
 * reads every source. The pin page writes `storyPinData` and `vEXP7`, the resource `story_pin_data`
 * and `V_EXP7` (pages recorded 2024). Leaves out fields that lie too deep.
 */
export function inResourceNames(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item: unknown) => inResourceNames(item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      snakeCase(name),
      inResourceNames(item, depth + 1),
    ]),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function snakeCase(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
}
