import { success } from "../../src/contract/result.ts";
import { SERVICES, type Service } from "../../src/contract/schemas.ts";
import type { Resolver, Source } from "../../src/search/resolver.ts";
import type { Resolvers } from "../../src/search/source-order.ts";
import { notFound } from "../../src/upstream/answer.ts";
import { drifted } from "../../src/upstream/drift.ts";
import { unexpectedStatus } from "../../src/upstream/upstream.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

const MEGABYTE = new Uint8Array(1_000_000).fill(32);

/** Resolved by its own source. */
export const REAL: Service = "microblog";
/** Nobody can resolve it. */
export const SOURCELESS: Service = "pinboard";

/**
 * Every service of the registry with its own URLs, price and media hosts. Its sources are two made-up
 * ones, but for one service that keeps its own first source and one that has none.
 */
export const SIMULATED: Resolvers = simulateAll();

function simulateAll(): Resolvers {
  const simulated: Record<Service, Resolver> = { ...RESOLVERS };
  for (const service of SERVICES) {
    const { locate: _, ...resolver } = RESOLVERS[service];
    // The second waits past the end of any window, so that answers come in its last moments too.
    const patience = { firstByteMs: 1_000_000, betweenBytesMs: 1_000_000 };
    const made = [albums("first", resolver), { ...albums("second", resolver), patience }];
    const sources = service === REAL ? resolver.sources.slice(0, 1) : made;
    simulated[service] = { ...resolver, sources: service === SOURCELESS ? [] : sources };
  }
  return simulated;
}

/** A source whose answer is the number of items. */
function albums(name: string, { mediaDomains }: Resolver): Source {
  return {
    name,
    find: async ({ id }, { upstream }) => {
      const url = `https://platform.example/${name}/${id}`;
      const reply = await upstream({ url, hosts: ["platform.example"], maxBytes: 1_000_000 });
      if (!reply.ok) return reply;
      const { status, body } = reply.value;
      if (status === 404) return notFound("no such post");
      if (status !== 200) return unexpectedStatus(reply.value);
      const length = body.match(/media_url_https/g)?.length;
      if (length === undefined) return drifted("no number", "media_url_https", body);
      const items = Array.from({ length }, (_, at) => {
        return { type: "image", url: `https://${mediaDomains[0]}/${at}.jpg` } as const;
      });
      return success({ items, metadata: { title: null, author: null, caption: null } });
    },
  };
}

/** The platform's behaviour for one request. */
interface Mood {
  readonly kind: string;
  readonly delayMs: number;
  readonly status: number;
  readonly items: number;
}

function drawMood({ random }: World): Mood {
  const fine = { kind: "fine", delayMs: random.between(50, 3_000), status: 200, items: 0 };
  const items = random.pick([1, 1, 2, 5, random.between(1, 40)]);
  if (random.chance(0.6)) return { ...fine, items };
  const edgeMs = random.pick([119_900, 120_000, 120_100, random.between(1_000, 130_000)]);
  return {
    ...fine,
    items,
    ...random.pick<Partial<Mood> & { kind: string }>([
      { kind: "upstream slow", delayMs: edgeMs },
      { kind: "upstream hangs" },
      { kind: "upstream drips" },
      { kind: "upstream oversized" },
      { kind: "upstream malformed" },
      { kind: "upstream resets" },
      { kind: "upstream more items than asked", items: 50 },
      { kind: "upstream 404", status: 404 },
      { kind: "upstream 403", status: 403 },
      { kind: "upstream 500", status: 500 },
    ]),
  };
}

/** Answers at the same moment as the request before. */
function together(mood: Mood, delayMs: number): Mood {
  return { ...mood, kind: "upstream two at once", delayMs };
}

/** The platforms, as one process sees them. */
export function createUpstream(world: World, process: Process): typeof fetch {
  let lastAnswerMs = 0;
  return async (input, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    const id = new URL(String(input)).searchParams.get("id") ?? "";
    const drawn = drawMood(world);
    const leftMs = lastAnswerMs - world.scheduler.now();
    const mood = leftMs > 0 && world.random.chance(0.2) ? together(drawn, leftMs) : drawn;
    lastAnswerMs = world.scheduler.now() + mood.delayMs;
    if (mood.kind === "fine") world.note(`${process.name} upstream: ${mood.items} items`);
    else world.fault(mood.kind, process.name);
    const answer = await process.wait<Response | Error>((done) => {
      signal.addEventListener("abort", () => done(new Error("aborted")), { once: true });
      if (mood.kind === "upstream hangs") return;
      world.scheduler.after(mood.delayMs, () => {
        if (!signal.aborted) done(respond(process, { id, mood }));
      });
    });
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

function respond(process: Process, { id, mood }: { id: string; mood: Mood }): Response | Error {
  const { status, kind, items } = mood;
  if (kind === "upstream resets") return new Error("connection reset");
  if (kind === "upstream oversized") return new Response(chunks(process, MEGABYTE));
  if (kind === "upstream drips") return new Response(chunks(process, new Uint8Array(1)));
  const body = kind === "upstream malformed" ? "<html>" : postOf(id, items);
  return new Response(status === 200 ? body : "", { status });
}

function postOf(id: string, items: number): string {
  const mediaDetails = Array.from({ length: items }, (_, at) => {
    return { type: "photo", media_url_https: `https://pbs.twimg.com/media/${at}.jpg` };
  });
  return JSON.stringify({ __typename: "Tweet", id_str: id, mediaDetails });
}

/** A body that never ends: one chunk a second. */
function chunks(process: Process, chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await process.sleep(1_000);
      controller.enqueue(chunk);
    },
  });
}
