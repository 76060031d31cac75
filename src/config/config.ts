import * as z from "zod/mini";
import "../runtime/zod-messages.ts";

const text = z.string().check(z.minLength(1));

/** A variable that may be left empty or unset. */
const optional = z._default(
  z.nullable(
    z.pipe(
      z.string().check(z.trim()),
      z.transform((value) => (value === "" ? null : value)),
    ),
  ),
  null,
);

const httpUrl = z.url({ protocol: /^https?$/ });
const optionalUrl = z.pipe(optional, z.nullable(httpUrl));

/** Of a server that the operator trusts; a user name in it would be no part of its origin. */
const serverUrl = httpUrl.check(z.refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), "names a user"));

const region = z.string().check(z.regex(/^[a-z0-9-]+$/, "is no region"));

/** Of partitions whose hosts do not end in amazonaws.com. */
const REGION_ELSEWHERE = /^(?:cn|eusc|us-iso\w*|eu-iso\w*)-/;

/** Every binding of the worker; `wrangler.toml` says what each is for. */
const bindingsSchema = z
  .object({
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: text,
    AWS_SECRET_ACCESS_KEY: text,
    ACCOUNTS_TABLE: text,
    API_KEYS_TABLE: text,
    LEDGER_TABLE: text,
    DYNAMODB_ENDPOINT: optionalUrl,
    UPSTASH_REDIS_REST_URL: httpUrl,
    UPSTASH_REDIS_REST_TOKEN: text,
    RESOLVE_WINDOW_MS: z._default(
      z.coerce.number().check(z.int(), z.minimum(100), z.maximum(120_000)),
      120_000,
    ),
    USER_AGENT: text,
    EGRESS_URL: optionalUrl,
    PINBOARD_HANDLER: z._default(text, "www/pin/[id].js"),
    PINBOARD_FIELD_SET: z._default(text, "detailed"),
    SHORT_VIDEO_PLAYER_QUERY: z._default(
      z.string(),
      "aid=1284&app_name=tiktok_web&device_platform=web_pc",
    ),
    SOURCES: optional,
    HIKERAPI_URL: z._default(serverUrl, "https://api.hikerapi.com"),
    HIKERAPI_KEY: optional,
    COBALT_URL: z.pipe(optional, z.nullable(serverUrl)),
    COBALT_API_KEY: optional,
  })
  .check(
    z.refine(
      ({ AWS_REGION, DYNAMODB_ENDPOINT }) =>
        DYNAMODB_ENDPOINT !== null || !REGION_ELSEWHERE.test(AWS_REGION),
      { path: ["DYNAMODB_ENDPOINT"], error: "is needed for a region outside amazonaws.com" },
    ),
  );

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
