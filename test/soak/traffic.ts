import type { Random } from "../../infra/finance/generate/random.ts";
import type { Sample } from "../../infra/local/sample-gateway.ts";
import { errorSchema, resolveResponseSchema } from "../../src/contract/schemas.ts";
import { watchedFetch } from "../contract/watch-fetch.ts";
import type { Tenant } from "./tenants.ts";

/** One request as its client saw it. */
export interface Seen {
  readonly startedMs: number;
  readonly elapsedMs: number;
  /** Status and code, or that there was no answer. */
  readonly outcome: string;
  readonly requestId: string | null;
  /** Credits that the client was told; 0 for a failure, null without an answer. */
  readonly charge: number | null;
}

const PATIENCE_MS = 60_000;

/** A request of the samples' posts, now and then of a post that nobody knows. */
export function drawRequest(random: Random, samples: readonly Sample[]): object {
  const posts = samples.flatMap(({ service, source_url: url }) =>
    url === undefined ? [] : [{ service, url }],
  );
  const stranger = {
    service: "microblog",
    url: `https://x.com/a/status/${random.between(1, 1e6)}`,
  };
  return { ...random.pick([stranger, ...posts]), max_results: random.between(1, 10) };
}

export async function ask(url: string, { key }: Tenant, request: object): Promise<Seen> {
  const startedMs = Date.now();
  const seen = await send(url, key, request).catch((error: unknown) => {
    const cause = error instanceof Error ? error.name : "error";
    return { outcome: `no answer (${cause})`, requestId: null, charge: null };
  });
  return { ...seen, startedMs, elapsedMs: Date.now() - startedMs };
}

async function send(url: string, key: string, request: object) {
  const response = await watchedFetch(fetch)(`${url}/v1/resolve`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const body: unknown = await response.json();
  if (response.status === 200) {
    const { request_id: requestId, credits_used: charge } = resolveResponseSchema.parse(body);
    return { outcome: "200 OK", requestId, charge };
  }
  const { code, request_id: requestId } = errorSchema.parse(body);
  return { outcome: `${response.status} ${code}`, requestId, charge: 0 };
}
