import { success } from "../../src/contract/result.ts";
import type { Service } from "../../src/contract/schemas.ts";
import { microblog } from "../../src/platforms/x/microblog.ts";
import { among, type Resolver, type Source, unset } from "../../src/search/resolver.ts";
import { notFound } from "../../src/upstream/answer.ts";
import { drifted } from "../../src/upstream/drift.ts";
import { unexpectedStatus } from "../../src/upstream/upstream.ts";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

const MEGABYTE = new Uint8Array(1_000_000).fill(32);

/** One service as it is, one with two sources and two credits an item, the rest without a source. */
export const SIMULATED: Readonly<Record<Service, Resolver>> = {
  microblog: microblog(unset("cobalt", "COBALT_URL")),
  "messenger-channel": {
    service: "messenger-channel",
    multiplier: 2,
    shapes: [],
    places: [{ isHost: among("t.me"), paths: [/^\/(?<owner>[a-z]+)\/(?<id>\d+)$/] }],
    mediaDomains: ["telesco.pe"],
    sources: [albums("first"), albums("second")],
  },
  "photo-feed": without("photo-feed"),
  "photo-feed-story": without("photo-feed-story"),
  "photo-feed-highlight": without("photo-feed-highlight"),
  "short-video": without("short-video"),
  pinboard: {
    ...without("pinboard"),
    places: [{ isHost: among("pin.it"), paths: [/^\/(?<id>\w+)$/] }],
  },
};

function without(service: Service): Resolver {
  return { service, multiplier: 1, shapes: [], places: [], mediaDomains: [], sources: [] };
}

/** A source whose answer is the number of items. */
function albums(name: string): Source {
  return {
    name,
    find: async ({ id }, { upstream }) => {
      const url = `https://t.me/${name}/${id}`;
      const reply = await upstream({ url, hosts: ["t.me"], maxBytes: 1_000_000 });
      if (!reply.ok) return reply;
      if (reply.value.status === 404) return notFound("no such post");
      if (reply.value.status !== 200) return unexpectedStatus(reply.value);
      const length = reply.value.body.match(/media_url_https/g)?.length;
      if (length === undefined) return drifted("no number", "body", reply.value.body);
      const items = Array.from({ length }, (_, at) => {
        return { type: "image", url: `https://cdn1.telesco.pe/${at}.jpg` } as const;
      });
      return success({ items, metadata: { title: null, author: null, caption: null } });
    },
  };
}

/** What the platform does with one request. */
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

/** The platforms, as one process reaches them. */
export function createUpstream(world: World, process: Process): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? new AbortController().signal;
    const id = new URL(String(input)).searchParams.get("id") ?? "";
    const mood = drawMood(world);
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

/** A body without an end, a chunk a second. */
function chunks(process: Process, chunk: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await process.sleep(1_000);
      controller.enqueue(chunk);
    },
  });
}
