/**
 * The worker that the canary asks: the service's own search in the real runtime, without accounts,
 * limits or credits. It is never deployed.
 */
import { type Config, readConfig } from "../../src/config/config.ts";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { MAX_RESULTS_LIMIT, type Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import type { Breaker } from "../../src/search/breaker.ts";
import { setHedgeDelays } from "../../src/search/hedge-delay.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import type { Post, Source } from "../../src/search/resolver.ts";
import { search } from "../../src/search/search.ts";
import { orderSources } from "../../src/search/source-order.ts";
import { codeOf } from "../../src/search/verdict.ts";
import { type Findings, type Outcome, questionSchema } from "./messages.ts";

/** Never pauses a source: each line is tried, whatever happened to the lines before it. */
const tireless: Breaker = (_attempt, ask) => ask();

export default {
  async fetch(request, env) {
    try {
      const { service, url } = questionSchema.parse(await request.json());
      return Response.json(await resolve(readConfig(env), service, url));
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return Response.json({ problem } satisfies Findings);
    }
  },
} satisfies ExportedHandler;

async function resolve(config: Config, service: Service, url: string): Promise<Findings> {
  const resolvers = createResolvers(config.platforms);
  const { SOURCES, HEDGE_DELAYS } = config.search;
  const resolver = setHedgeDelays(orderSources(resolvers, SOURCES), HEDGE_DELAYS)[service];
  const startedMs = Date.now();
  const post = parsePostUrl(url, resolver);
  if (!post.ok) return { whole: outcomeOf(post.failure.code, 0, startedMs), sources: [] };
  const asked: (Outcome & { source: string })[] = [];
  const sources = resolver.sources.map((source) => watched(source, asked));
  const whole = await search({
    ...{ settings: config.search, post: post.value, maxResults: MAX_RESULTS_LIMIT },
    resolver: { ...resolver, sources },
    ...{ breaker: tireless, account: "canary", signal: new AbortController().signal },
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    timer,
    log: (entry) => console.log(JSON.stringify(entry)),
    note: () => {},
  });
  const code = whole.ok ? "OK" : whole.failure.code;
  const items = whole.ok ? whole.value.items.length : 0;
  return { whole: outcomeOf(code, items, startedMs), sources: asked };
}

/**
 * The same source, with its result recorded. A source that does not return in time has no result.
 */
function watched(source: Source, asked: (Outcome & { source: string })[]): Source {
  const find: Source["find"] = async (post: Post, tools) => {
    const startedMs = Date.now();
    const found = await source.find(post, tools);
    const code = found.ok ? "OK" : codeOf(found.failure.kind);
    const items = found.ok ? found.value.items.length : 0;
    asked.push({ source: source.name, ...outcomeOf(code, items, startedMs) });
    return found;
  };
  return { ...source, find };
}

function outcomeOf(code: ErrorCode | "OK", items: number, startedMs: number): Outcome {
  return { code, items, durationMs: Date.now() - startedMs };
}
