/**
 * The worker that the canary asks: the service's own search in the real runtime, without accounts,
 * limits or credits. It is never deployed.
 */
import { type Config, readConfig } from "../../src/config/config.ts";
import type { Result } from "../../src/contract/result.ts";
import { MAX_RESULTS_LIMIT, type Service } from "../../src/contract/schemas.ts";
import { RESOLVERS } from "../../src/platforms/registry.ts";
import type { Breaker } from "../../src/search/breaker.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import type { Media, Post, Source } from "../../src/search/resolver.ts";
import { search } from "../../src/search/search.ts";
import { orderSources } from "../../src/search/source-order.ts";
import { type Findings, type Outcome, questionSchema } from "./messages.ts";

/** Asks always: each line of the list is to be tried, whatever became of the lines before it. */
const tireless: Breaker = (_turn, ask) => ask();

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

async function resolve(settings: Config, service: Service, url: string): Promise<Findings> {
  const resolver = orderSources(RESOLVERS, settings)[service];
  const post = parsePostUrl(url, resolver);
  if (!post.ok) return { whole: outcomeOf(post, Date.now()), sources: [] };
  const asked: (Outcome & { source: string })[] = [];
  const sources = resolver.sources.map((source) => watched(source, asked));
  const startedMs = Date.now();
  const whole = await search({
    ...{ settings, post: post.value, maxResults: MAX_RESULTS_LIMIT },
    resolver: { ...resolver, sources },
    ...{ breaker: tireless, signal: new AbortController().signal },
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    timer: (delayMs, ring) => {
      const pending = setTimeout(ring, delayMs);
      return () => clearTimeout(pending);
    },
    log: (entry) => console.log(JSON.stringify(entry)),
  });
  return { whole: outcomeOf(whole, startedMs), sources: asked };
}

/** The same source, with what it came to kept. One that does not come back in its time is missing. */
function watched(source: Source, asked: (Outcome & { source: string })[]): Source {
  const find: Source["find"] = async (post: Post, tools) => {
    const startedMs = Date.now();
    const found = await source.find(post, tools);
    asked.push({ source: source.name, ...outcomeOf(found, startedMs) });
    return found;
  };
  return { ...source, find };
}

function outcomeOf(found: Result<Media> | Result<Post>, startedMs: number): Outcome {
  const durationMs = Date.now() - startedMs;
  if (!found.ok) return { code: found.failure.code, items: 0, durationMs };
  const items = "items" in found.value ? found.value.items.length : 0;
  return { code: "OK", items, durationMs };
}
