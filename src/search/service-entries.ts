import { SERVICES, type Service, serviceSchema } from "../contract/schemas.ts";

/**
 * Reads a variable of the form `service=value;service=value`. Ignores white space around names and
 * values.
 * @throws Error that says what is wrong with the variable
 */
export function readServiceEntries(variable: string, text: string): ReadonlyMap<Service, string> {
  const entries = new Map<Service, string>();
  for (const entry of partsOf(text, ";")) {
    const [name = "", value = "", ...rest] = entry.split("=").map((part) => part.trim());
    const service = serviceSchema.safeParse(name);
    if (!service.success) {
      throw unusable(variable, `"${name}" is no service; there are ${SERVICES.join(", ")}`);
    }
    if (rest.length > 0) throw unusable(variable, `${name}: has more than one "="`);
    if (entries.has(service.data)) throw unusable(variable, `${name}: is there twice`);
    entries.set(service.data, value);
  }
  return entries;
}

/** The parts between separators, trimmed; without empty ones. */
export function partsOf(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function unusable(variable: string, problem: string): Error {
  return new Error(`configuration: ${variable}: ${problem}`);
}
