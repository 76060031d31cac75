/** Reads recordings: either with a source, as the service does, or only their bytes. */
import { readConfig } from "../../src/config/config.ts";
import { MAX_RESULTS_LIMIT, type Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { PATIENCE } from "../../src/upstream/patience.ts";
import { openUpstream, type Upstream } from "../../src/upstream/upstream.ts";

interface Task {
  readonly service: Service;
  readonly source: string;
  readonly postUrl: string;
  readonly times: number;
  /** Requests whose bytes are only read. Null for the source's whole work. */
  readonly reads: number | null;
  /** Reads by the runtime's plain reader instead of by the bounded fetch. */
  readonly isPlain: boolean;
}

const HOST = "platform.example";

export default {
  async fetch(request, env) {
    const { search, platforms } = readConfig(env);
    const resolvers = createResolvers(platforms);
    const names = Object.values(resolvers).map(({ service, sources }) => ({
      service,
      // There is no recording of a cobalt instance.
      sources: sources.map(({ name }) => name).filter((name) => name !== "cobalt"),
    }));
    if (request.method === "GET") return Response.json(names);
    const task = await request.json<Task>();
    const resolver = resolvers[task.service];
    const post = parsePostUrl(task.postUrl, resolver);
    const source = resolver.sources.find(({ name }) => name === task.source);
    if (!post.ok || source === undefined) return Response.json({ requests: 0, isFound: false });
    const { EGRESS_URL: egressUrl, USER_AGENT: userAgent } = search;
    const { signal } = new AbortController();
    const budget = { requestsLeft: Number.POSITIVE_INFINITY };
    const open = openUpstream({
      fetch: (...args) => fetch(...args),
      userAgent,
      egressUrl,
      budget,
      ...{ signal, timer, patience: PATIENCE },
    });
    const counted = { requests: 0 };
    const upstream: Upstream = (wanted) => {
      counted.requests++;
      return open(wanted);
    };
    const tools = { upstream, maxResults: MAX_RESULTS_LIMIT, now: () => Date.now(), log: () => {} };
    let isFound = false;
    for (let time = 0; time < task.times; time++) {
      if (task.reads !== null && task.isPlain) await readPlainly(egressUrl, task.reads);
      else if (task.reads !== null) await readBytes(upstream, task.reads);
      else isFound = (await source.find(post.value, tools)).ok;
    }
    return Response.json({ requests: counted.requests / task.times, isFound });
  },
} satisfies ExportedHandler;

async function readBytes(upstream: Upstream, requests: number): Promise<void> {
  for (let request = 0; request < requests; request++) {
    await upstream({ url: `https://${HOST}/`, hosts: [HOST], maxBytes: 10_000_000 });
  }
}

/** As one reads a body who does without buffers: in the pieces in which the runtime gives it. */
async function readPlainly(address: string | null, requests: number): Promise<void> {
  for (let request = 0; request < requests; request++) {
    const response = await fetch(address ?? "");
    const body: ReadableStream<Uint8Array> | null = response.body;
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body ?? []) text += decoder.decode(chunk, { stream: true });
    if (text === "") throw new Error("an empty body");
  }
}
