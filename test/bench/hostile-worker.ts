/** Lets a source read a reply that is handed in, as often as asked. */
import { readConfig } from "../../src/config/config.ts";
import { MAX_RESULTS_LIMIT } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { PATIENCE } from "../../src/upstream/patience.ts";
import { openUpstream, type Upstream } from "../../src/upstream/upstream.ts";
import { hostileTaskSchema, TASK_HEADER } from "./hostile-task.ts";

export default {
  async fetch(request, env) {
    const resolvers = createResolvers(readConfig(env).platforms);
    if (request.method === "GET") {
      return Response.json(
        Object.values(resolvers).map(({ service, sources }) => ({
          service,
          sources: sources.map(({ name }) => name),
        })),
      );
    }
    const task = hostileTaskSchema.parse(JSON.parse(request.headers.get(TASK_HEADER) ?? ""));
    // Bytes, as from the network: to make them of text again and again would count as the source's work.
    const body = await request.arrayBuffer();
    const resolver = resolvers[task.service];
    const source = resolver.sources.find(({ name }) => name === task.source);
    const post = parsePostUrl(task.postUrl, resolver);
    if (source === undefined || !post.ok) return new Response("no such source", { status: 400 });
    const open = openUpstream({
      fetch: async (_, init) => new Response(init?.method === "HEAD" ? null : body),
      userAgent: "bench/1",
      egressUrl: null,
      budget: { requestsLeft: Number.POSITIVE_INFINITY },
      signal: new AbortController().signal,
      timer,
      patience: PATIENCE,
    });
    const bounds: number[] = [];
    const upstream: Upstream = (wanted) => {
      bounds.push(wanted.maxBytes);
      return open(wanted);
    };
    const tools = { upstream, maxResults: MAX_RESULTS_LIMIT, now: () => Date.now(), log: () => {} };
    let outcome = "OK";
    for (let time = 0; time < task.times; time++) {
      const found = await source.find(post.value, tools);
      outcome = found.ok ? "OK" : found.failure.kind;
    }
    return Response.json({ outcome, maxBytes: bounds[0] ?? 0 });
  },
} satisfies ExportedHandler;
