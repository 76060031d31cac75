import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { MAX_RESULTS_LIMIT } from "../../src/contract/schemas.ts";
import { errorCodeSchema, loadSamples } from "./sample-gateway.ts";

const REQUESTS_MAX = 200;

/** One row of `infra/local/samples/errors.json`. The README beside it explains each field. */
const errorSchema = z.strictObject({
  outcome: errorCodeSchema,
  note: z.string().min(1),
  method: z.enum(["POST", "PUT"]).default("POST"),
  path: z.string().startsWith("/").default("/v1/resolve"),
  key: z.enum(["working", "mistyped", "new"]).default("working"),
  requests: z.int().min(1).max(REQUESTS_MAX).default(1),
  body: z.strictObject({
    service: z.string(),
    url: z.url(),
    max_results: z.int().min(1).max(MAX_RESULTS_LIMIT).optional(),
  }),
});

/** A request to the stack that answers from the samples, and how it ends. */
export interface Example extends Omit<z.infer<typeof errorSchema>, "outcome"> {
  readonly outcome: ErrorCode | "OK";
}

/** What can be tried with the samples: the posts of every service, and each error. */
export interface Examples {
  readonly posts: readonly Example[];
  readonly errors: readonly Example[];
}

const PLAIN = { method: "POST", path: "/v1/resolve", key: "working", requests: 1 } as const;
const OK = "OK" as const;

/**
 * Reads what can be tried with the samples of a folder.
 * @throws ZodError that says which row has which problem
 */
export async function loadExamples(folder: string): Promise<Examples> {
  const posts = (await loadSamples(folder)).flatMap(
    ({ service, source_url: url, note, outcome }): Example[] => {
      if (url === undefined) return [];
      return [{ ...PLAIN, outcome: outcome ?? OK, note, body: { service, url } }];
    },
  );
  const rows: unknown = JSON.parse(await readFile(join(folder, "errors.json"), "utf8"));
  return { posts, errors: z.array(errorSchema).parse(rows) };
}

/** The status that an example's answer has. */
export function statusOf({ outcome }: Pick<Example, "outcome">): number {
  return outcome === "OK" ? 200 : ERRORS[outcome].status;
}

/** The keys for examples. */
export interface ExampleKeys {
  readonly working: string;
  /** Of an account that has no more than its free credits. */
  readonly new: string;
}

/** The key that an example is sent with. */
export function keyOf({ key }: Pick<Example, "key">, keys: ExampleKeys): string {
  return key === "mistyped" ? mistyped(keys.working) : keys[key];
}

/** The key with its last two characters swapped, or with one changed when they are equal. */
function mistyped(key: string): string {
  const [last = "", before = ""] = [key.slice(-1), key.slice(-2, -1)];
  const end = last === before ? before + (last === "0" ? "1" : "0") : last + before;
  return key.slice(0, -2) + end;
}
