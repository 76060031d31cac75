import * as z from "zod";

/** A variable that may be left empty or unset. */
const optional = z
  .string()
  .trim()
  .transform((value) => (value === "" ? null : value))
  .nullable()
  .default(null);

const httpUrl = z.url({ protocol: /^https?$/ });
const optionalUrl = optional.pipe(httpUrl.nullable());

/** Of a server that the operator trusts; a user name in it would be no part of its origin. */
const serverUrl = httpUrl.refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), "names a user");

/** Every binding of the worker; `wrangler.toml` says what each is for. */
const bindingsSchema = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  ACCOUNTS_TABLE: z.string().min(1),
  API_KEYS_TABLE: z.string().min(1),
  LEDGER_TABLE: z.string().min(1),
  DYNAMODB_ENDPOINT: optionalUrl,
  UPSTASH_REDIS_REST_URL: z.url({ protocol: /^https?$/ }),
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1),
  RESOLVE_WINDOW_MS: z.coerce.number().int().min(100).max(120_000).default(120_000),
  USER_AGENT: z.string().min(1),
  EGRESS_URL: optionalUrl,
  PINBOARD_HANDLER: z.string().min(1).default("www/pin/[id].js"),
  PINBOARD_FIELD_SET: z.string().min(1).default("detailed"),
  SHORT_VIDEO_PLAYER_QUERY: z
    .string()
    .default("aid=1284&app_name=tiktok_web&device_platform=web_pc"),
  SOURCES: optional,
  HIKERAPI_URL: serverUrl.default("https://api.hikerapi.com"),
  HIKERAPI_KEY: optional,
  COBALT_URL: optional.pipe(serverUrl.nullable()),
  COBALT_API_KEY: optional,
});

export type Config = z.infer<typeof bindingsSchema>;

/**
 * Reads the bindings.
 * @throws Error that names each variable that is missing or unusable; never its value.
 */
export function readConfig(env: unknown): Config {
  const parsed = bindingsSchema.safeParse(env);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`configuration: ${problems.join("; ")}`);
}
