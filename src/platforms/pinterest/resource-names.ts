/** Deeper than any field of a pin that is read (10 in replies recorded up to 2024-11). */
const MAX_DEPTH = 14;

/**
 * An object with its names as the resource endpoint writes them, in lower case, so that one schema
 * reads every source: the pin page writes `storyPinData` and `vEXP7` for the resource's
 * `story_pin_data` and `V_EXP7` (pages recorded 2024). What lies too deep is left out.
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
