import { describe, expect, it } from "vitest";
import { errorSchema, resolveResponseSchema, SERVICES } from "../../src/contract/schemas.ts";
import type { Resolver, Source } from "../../src/search/resolver.ts";
import { balancesOf, LEDGER, type Overrides, startService } from "../support/service.ts";
import { testSettings } from "../support/settings.ts";
import {
  answering,
  askSource,
  CONFIGURED,
  repliesOfSources,
  sampledPosts,
} from "../support/source-replies.ts";
import { createVirtualTime } from "../support/virtual-time.ts";

const replies = await repliesOfSources();
const credits = { available: 20, held: 0, charged: 0, holds: 0 };

/** Each service that has two sources, with those two. */
const PAIRS = SERVICES.flatMap((service) => {
  const resolver = CONFIGURED[service];
  const [first, second] = resolver.sources;
  return first === undefined || second === undefined ? [] : [{ service, resolver, first, second }];
});

/** A post, and answers with media to what this source asks for it, and to nothing else. */
async function onlyAnswering(resolver: Resolver, source: Source | undefined) {
  if (source === undefined) throw new Error("no such source");
  for (const reply of replies.get(`${resolver.service}/${source.name}`) ?? []) {
    const { request: known, post } = reply;
    const answer = (request: Request) => {
      const isIts = request.url === known?.requestUrl || request.method === "HEAD";
      return isIts ? answering(reply)(request) : null;
    };
    if ((await askSource(reply, answer)).ok) return { url: post.url.href, answer };
  }
  throw new Error(`no sample with media of ${resolver.service}/${source.name}`);
}

/** Platforms that answer some requests, and leave all others open until they are aborted. */
function platforms(answer: (request: Request) => Response | null) {
  const seen = { hanging: 0, aborted: 0 };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const known = answer(new Request(input, init));
    if (known !== null) return known;
    seen.hanging += 1;
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => {
        seen.aborted += 1;
        reject(init.signal?.reason);
      });
    });
  };
  return { fetch, seen };
}

/** The service in virtual time, asked once for a post. */
async function ask(
  resolver: Resolver,
  { url, answer, ...other }: Overrides & { url: string; answer: Parameters<typeof platforms>[0] },
) {
  const { now, timer, runUntil, elapsedMs, pending } = createVirtualTime();
  const { fetch, seen } = platforms(answer);
  const resolvers = { ...CONFIGURED, [resolver.service]: resolver };
  const settings = testSettings({ RESOLVE_WINDOW_MS: 120_000 }).search;
  const service = await startService({ now, timer, fetch, resolvers, settings, ...other });
  const asked = service.resolve({ service: resolver.service, url, max_results: 5 });
  const response = await runUntil(asked, () => seen.hanging > seen.aborted);
  const { engine, logs } = service;
  return { response, seen, elapsedMs: elapsedMs(), pending: pending(), engine, logs };
}

describe.each(PAIRS)("$service, whose source $first.name hangs", (pair) => {
  const { resolver, first, second } = pair;

  it(`answers from ${second.name} after the hedge delay, charges once and asks no further`, async () => {
    const answers = await onlyAnswering(resolver, second);
    const found = await ask({ ...resolver, sources: [first, second] }, answers);
    expect(found.response.status).toBe(200);
    const body = resolveResponseSchema.parse(await found.response.json());
    expect(found.elapsedMs).toBe(resolver.hedgeDelayMs);
    expect(found.seen).toEqual({ hanging: 1, aborted: 1 });
    expect(found.pending).toBe(0);
    const charged = body.item_count * resolver.multiplier;
    expect(balancesOf(found.engine)).toEqual({ ...credits, available: 20 - charged, charged });
    expect(found.engine.scan(LEDGER)).toHaveLength(1);
    const hedging = { source: second.name, hedges: 1, paid_hedges: 0, hedge_won: true };
    expect(found.logs).toMatchObject([{ event: "request", ...hedging }]);
  });
});

it("pays a provider after its longer delay, when all free sources hang", async () => {
  const resolver = CONFIGURED["photo-feed"];
  const paid = resolver.sources.findIndex(({ isPaid }) => isPaid);
  expect(paid).toBe(resolver.sources.length - 1);
  const answers = await onlyAnswering(resolver, resolver.sources[paid]);
  const found = await ask(resolver, answers);
  expect(found.response.status).toBe(200);
  expect(found.elapsedMs).toBe(2 * resolver.hedgeDelayMs + 8_000);
  expect(found.logs).toMatchObject([{ source: "hikerapi", hedges: 3, paid_hedges: 1 }]);
});

describe("a service whose sources all hang", () => {
  it.each(SERVICES.filter((service) => service !== "pinboard"))(
    "%s is told so, refunded, and leaves no request and no timer behind",
    async (service) => {
      const resolver = CONFIGURED[service];
      const [post] = sampledPosts(service);
      const found = await ask(resolver, { url: post?.url.href ?? "", answer: () => null });
      expect(found.response.status).toBe(504);
      expect(errorSchema.parse(await found.response.json()).code).toBe("UPSTREAM_TIMEOUT");
      expect(found.elapsedMs).toBeLessThanOrEqual(120_000);
      expect(found.seen.hanging).toBeGreaterThanOrEqual(resolver.sources.length);
      expect(found.seen.aborted).toBe(found.seen.hanging);
      expect(found.pending).toBe(0);
      expect(balancesOf(found.engine)).toEqual(credits);
    },
  );

  it("answers at the end of a short window", async () => {
    const resolver = CONFIGURED["photo-feed"];
    const settings = testSettings({ RESOLVE_WINDOW_MS: 5_000 }).search;
    const url = "https://www.instagram.com/p/CSampleCar1/";
    const found = await ask(resolver, { url, answer: () => null, settings });
    expect(found.response.status).toBe(504);
    expect(found.elapsedMs).toBe(5_000);
    expect(found.seen).toEqual({ hanging: 4, aborted: 4 });
    expect(balancesOf(found.engine)).toEqual(credits);
  });
});
