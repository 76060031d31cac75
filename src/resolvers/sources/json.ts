import type * as z from "zod";
import { failed, type Result, success } from "../../result.ts";

/** Reads a platform's JSON. Anything but the schema's shape means that the platform has changed. */
export function readJson<T>(body: string, schema: z.ZodType<T>): Result<T> {
  return readShape(parseJson(body), schema);
}

/** Reads a value of a platform's JSON, as {@link readJson} does the whole. */
export function readShape<T>(value: unknown, schema: z.ZodType<T>): Result<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return success(parsed.data);
  const places = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return failed("UPSTREAM_INVALID_RESPONSE", `unexpected JSON: ${places.slice(0, 3).join("; ")}`);
}

/** Undefined, which no JSON text means, for a text that is none. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
