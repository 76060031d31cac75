/**
 * The worker that the canary asks: the service's own search in the real runtime, without accounts,
 * limits or credits. It is never deployed.
 */
import { type Config, readConfig } from "../../src/config/config.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import type { Result } from "../../src/contract/result.ts";
import { MAX_RESULTS_LIMIT, type Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import type { Breaker } from "../../src/search/breaker.ts";
import { setHedgeDelays } from "../../src/search/hedge-delay.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import type { Post, Source } from "../../src/search/resolver.ts";
import { type Found, search } from "../../src/search/search.ts";
import { orderSources } from "../../src/search/source-order.ts";
import { codeOf } from "../../src/search/verdict.ts";
import { type Answer, type Findings, type Outcome, questionSchema } from "./messages.ts";

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
  if (!post.ok)
    return { whole: wholeOf({ ok: false, failure: post.failure }, startedMs), sources: [] };
  const asked: Asked[] = [];
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
  return { whole: wholeOf(whole, startedMs), sources: asked };
}

type Asked = Outcome & { source: string };

/**
 * The same source, with its result recorded. A source that does not return in time has no result.
 */
function watched(source: Source, asked: Asked[]): Source {
  const find: Source["find"] = async (post: Post, tools) => {
    const startedMs = Date.now();
    const found = await source.find(post, tools);
    const durationMs = Date.now() - startedMs;
    const { name } = source;
    if (found.ok) {
      const items = found.value.items.length;
      asked.push({ source: name, code: "OK", items, durationMs, cause: null, drift: null });
    } else {
      const { kind, cause } = found.failure;
      const { drift } = { drift: null, ...found.failure };
      asked.push({ source: name, code: codeOf(kind), items: 0, durationMs, cause, drift });
    }
    return found;
  };
  return { ...source, find };
}

function wholeOf(found: Result<Found>, startedMs: number): Answer["whole"] {
  const durationMs = Date.now() - startedMs;
  if (!found.ok) {
    const { code, cause, message = ERRORS[code].message } = found.failure;
    const { drift } = { drift: null, ...found.failure };
    return { code, items: 0, durationMs, cause, drift, source: null, message, media: [] };
  }
  const { items: media, source } = found.value;
  const nothing = { cause: null, drift: null, message: null };
  return { code: "OK", items: media.length, durationMs, source, media: [...media], ...nothing };
}
