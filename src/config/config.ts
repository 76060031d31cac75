import * as z from "zod/mini";
import "../runtime/zod-messages.ts";
import { creditsSettingsSchema } from "../credits/settings.ts";
import { limiterSettingsSchema } from "../limiter/settings.ts";
import { platformSettings } from "../platforms/settings.ts";
import { searchSettingsSchema } from "../search/settings.ts";
import { storeSettingsSchema } from "../store/settings.ts";

/**
 * Every variable of the worker, grouped by the room that reads it. `wrangler.toml` explains each.
 */
const configSchema = z.object({
  store: storeSettingsSchema,
  credits: creditsSettingsSchema,
  limiter: limiterSettingsSchema,
  search: searchSettingsSchema,
  platforms: z.object(platformSettings),
});

export type Config = z.infer<typeof configSchema>;

/**
 * Reads the bindings: each room takes its own variables out of the one environment.
 * @throws Error that names each variable that is missing or unusable; never its value.
 */
export function readConfig(env: unknown): Config {
  const rooms = forEach(configSchema.shape, env);
  const platforms = forEach(platformSettings, env);
  const parsed = configSchema.safeParse({ ...rooms, platforms });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${nameIn(path)}: ${message}`);
  throw new Error(`configuration: ${problems.join("; ")}`);
}

function forEach(rooms: object, env: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(rooms).map((room) => [room, env]));
}

/** The variable is the last part of the path, after its room. */
function nameIn(path: readonly PropertyKey[]): string {
  return String(path.at(-1) ?? "environment");
}
