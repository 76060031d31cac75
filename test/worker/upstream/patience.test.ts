import { describe, expect, it } from "vitest";
import { createResolvers } from "../../../src/platforms/registry.ts";
import { attempt } from "../../../src/search/attempt.ts";
import { AGENT_PATIENCE, PATIENCE } from "../../../src/upstream/patience.ts";
import { openUpstream, type UpstreamRequest } from "../../../src/upstream/upstream.ts";
import { testSettings } from "../../support/settings.ts";
import { createVirtualTime } from "../../support/virtual-time.ts";

const REQUEST: UpstreamRequest = {
  url: "https://a.example/post",
  hosts: ["a.example"],
  maxBytes: 1_000_000,
};
const patience = { firstByteMs: 100, betweenBytesMs: 40 };

/** One request in virtual time, and what has become of it. */
function begin(
  answer: (signal: AbortSignal) => Response | Promise<Response>,
  signal: AbortSignal = new AbortController().signal,
) {
  const { timer, pass, pending } = createVirtualTime();
  const seen: { asked: number; isAborted: boolean; reply: unknown } = {
    ...{ asked: 0, isAborted: false, reply: null },
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.asked++;
    const own = new Request(input, init).signal;
    init?.signal?.addEventListener("abort", () => {
      seen.isAborted = true;
    });
    return answer(own);
  };
  const budget = { requestsLeft: 10 };
  const given = { fetch, userAgent: "test/1", egressUrl: null, budget, signal, timer, patience };
  void openUpstream(given)(REQUEST).then((reply) => {
    seen.reply = reply;
  });
  return { seen, pass, pending };
}

/** A body that the test feeds. It says how often it was asked for more, and whether it was left. */
function feed() {
  const seen = { isCancelled: false };
  let to: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      to = controller;
    },
    cancel: () => {
      seen.isCancelled = true;
    },
  });
  const give = (sizeBytes: number) => to?.enqueue(new Uint8Array(sizeBytes).fill(0x78));
  return { body, seen, give, close: () => to?.close() };
}

const silence = () => new Promise<never>(() => {});
const timedOut = (cause: string) => ({ ok: false, failure: { kind: "sourceTimedOut", cause } });
const NO_ANSWER = timedOut("no answer within 100 ms");
const NO_PROGRESS = timedOut("under 1024 bytes in 40 ms");

describe("a source's patience", () => {
  it("ends a request without headers at its first bound, not before, and aborts it", async () => {
    const { seen, pass, pending } = begin(silence);
    await pass(99);
    expect(seen).toEqual({ asked: 1, isAborted: false, reply: null });
    await pass(1);
    expect(seen).toEqual({ asked: 1, isAborted: true, reply: NO_ANSWER });
    expect(pending()).toBe(0);
  });

  it("counts redirects towards the first bound, and follows none after it", async () => {
    const late = Promise.withResolvers<Response>();
    const { seen, pass } = begin(() => late.promise);
    await pass(100);
    late.resolve(new Response(null, { status: 302, headers: { location: "/next" } }));
    await pass(1000);
    expect(seen).toEqual({ asked: 1, isAborted: true, reply: NO_ANSWER });
  });

  it("leaves a body unread whose headers come after the bound", async () => {
    const late = Promise.withResolvers<Response>();
    const { body, seen: left } = feed();
    const { seen, pass } = begin(() => late.promise);
    await pass(100);
    late.resolve(new Response(body));
    await pass(1000);
    expect(seen.reply).toEqual(NO_ANSWER);
    expect(left.isCancelled).toBe(true);
  });

  it.each([
    ["is silent after its headers", 0],
    ["trickles", 10],
  ])("ends a body that %s within two stretches, and cancels it", async (_, stepBytes) => {
    const { body, seen: left, give } = feed();
    const { seen, pass, pending } = begin(() => new Response(body));
    for (let stepMs = 0; stepMs < 79; stepMs++) {
      if (stepBytes > 0) give(stepBytes);
      await pass(1);
    }
    expect(seen.reply).toBe(null);
    await pass(1);
    expect(seen).toEqual({ asked: 1, isAborted: true, reply: NO_PROGRESS });
    expect(left.isCancelled).toBe(true);
    expect(pending()).toBe(0);
  });

  it("lets a slow body finish that brings a kibibyte in every stretch", async () => {
    const { body, give, close } = feed();
    const { seen, pass, pending } = begin(() => new Response(body));
    for (let stretch = 0; stretch < 10; stretch++) {
      give(1_024);
      await pass(40);
    }
    expect(seen.reply).toBe(null);
    close();
    await pass(0);
    expect(seen).toMatchObject({ isAborted: false, reply: { ok: true } });
    expect(pending()).toBe(0);
  });

  it("has one timer however many chunks come, and none after a failure", async () => {
    const { body, give } = feed();
    const { seen, pass, pending } = begin(() => new Response(body));
    for (let chunk = 0; chunk < 50; chunk++) {
      give(1);
      await pass(0);
      expect(pending()).toBe(1);
    }
    const failed = begin(() => Promise.reject(new Error("lost")));
    await failed.pass(0);
    expect(failed.seen.reply).toMatchObject({ failure: { cause: "network: lost" } });
    expect(failed.pending()).toBe(0);
    expect(seen.reply).toBe(null);
  });

  it("is longer with services that ask the platform themselves, and with no other source", () => {
    const { platforms } = testSettings({ HIKERAPI_KEY: "k", COBALT_URL: "https://cobalt.example" });
    const sources = Object.values(createResolvers(platforms)).flatMap((each) => each.sources);
    const patient = sources.filter((source) => source.patience === AGENT_PATIENCE);
    expect(new Set(patient.map(({ name }) => name))).toEqual(new Set(["hikerapi", "cobalt"]));
    expect(sources.filter(({ patience }) => patience === undefined)).toHaveLength(
      sources.length - patient.length,
    );
    expect(AGENT_PATIENCE.firstByteMs).toBeGreaterThan(PATIENCE.firstByteMs);
  });

  it.each([
    ["the source's own", { firstByteMs: 30, betweenBytesMs: 30 }, 30],
    ["the usual one", undefined, PATIENCE.firstByteMs],
  ])("is %s in an attempt", async (_, given, endMs) => {
    const { timer, pass } = createVirtualTime();
    const { search: settings } = testSettings();
    const options = {
      ...{ fetch: silence, settings, timer, patience: given, budget: { requestsLeft: 1 } },
      ...{ maxResults: 1, now: () => 0, log: () => {}, signal: new AbortController().signal },
    };
    let answer: unknown = null;
    void attempt(1e6, options, ({ upstream }) => upstream(REQUEST)).then((it) => {
      answer = it;
    });
    await pass(endMs - 1);
    expect(answer).toBe(null);
    await pass(1);
    expect(answer).toEqual(timedOut(`no answer within ${endMs} ms`));
  });
});

describe("reading past the window", () => {
  const WINDOW = timedOut("no whole answer within the window");
  const elapsed = () => new DOMException("no whole answer within the window", "TimeoutError");

  it("does not happen with a body that ignores its cancellation", async () => {
    const window = new AbortController();
    const { seen, pass, pending } = begin(() => deaf(), window.signal);
    await pass(1);
    window.abort(elapsed());
    await pass(0);
    expect(seen).toEqual({ asked: 1, isAborted: true, reply: WINDOW });
    expect(pending()).toBe(0);
  });

  it("does not happen with a fetch that ignores its signal", async () => {
    const window = new AbortController();
    const late = Promise.withResolvers<Response>();
    const { body, seen: left, give } = feed();
    const { seen, pass, pending } = begin(() => late.promise, window.signal);
    window.abort(elapsed());
    await pass(0);
    expect(seen).toMatchObject({ isAborted: true, reply: WINDOW });
    give(10);
    late.resolve(new Response(body));
    await pass(0);
    expect(left.isCancelled).toBe(true);
    expect(pending()).toBe(0);
  });
});

/** A response whose body neither ends nor heeds `cancel`: the read stays pending. */
function deaf(): Response {
  const reader = { read: silence, cancel: silence };
  const body = Object.assign(new ReadableStream(), { getReader: () => reader });
  return new Proxy(new Response(), {
    get: (target, name) => (name === "body" ? body : Reflect.get(target, name, target)),
  });
}
