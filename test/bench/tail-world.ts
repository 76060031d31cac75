import { createRandom, type Random } from "../../infra/finance/generate/random.ts";
import { success } from "../../src/contract/result.ts";
import { SERVICES, type Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import { setHedgeDelays } from "../../src/search/hedge-delay.ts";
import type { Post, Resolver, Source } from "../../src/search/resolver.ts";
import { search } from "../../src/search/search.ts";
import { createScheduler, type Scheduler } from "../simulation/scheduler.ts";
import { testSettings } from "../support/settings.ts";
import { percentile } from "./statistics.ts";

const REQUESTS = 2_000;
const REQUESTS_A_SECOND = 20;
const ACCOUNTS = 50;
const SEED = 1;
const WINDOW_MS = 120_000;

const PROVIDERS = { HIKERAPI_KEY: "bench", COBALT_URL: "https://cobalt.example" };
const HEDGED = { RESOLVE_WINDOW_MS: WINDOW_MS, ...PROVIDERS };
const NOT_HEDGED = {
  ...HEDGED,
  HEDGE_DELAYS: SERVICES.map((service) => `${service}=0`).join(";"),
  PAID_HEDGE_DELAY_MS: 0,
};

/** When the source at this place answers, in milliseconds. Infinite: never. */
export type Draw = (random: Random, place: number) => number;

/** Times in milliseconds from the start of a search to its end. */
export interface Outcome {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly callsARequest: number;
  readonly paidCallsARequest: number;
  readonly failed: number;
}

/**
 * So many searches of one service in virtual time, at an even rate over several accounts, each for a
 * post of its own. The sources, delays and breaker are the service's; only their answers are drawn.
 */
export async function searchMany(
  service: Service,
  draw: Draw,
  isHedged: boolean,
): Promise<Outcome> {
  const scheduler = createScheduler(0);
  const { now } = scheduler;
  const random = createRandom(SEED);
  const { search: settings, platforms } = testSettings(isHedged ? HEDGED : NOT_HEDGED);
  const resolvers = setHedgeDelays(createResolvers(platforms), settings.HEDGE_DELAYS);
  const calls = { all: 0, paid: 0 };
  const log = () => {};
  const shared = {
    ...{ settings, now, log, maxResults: 10, timer: scheduler.after, note: () => {} },
    resolver: withDrawnSources(resolvers[service], calls),
    breaker: openBreaker({ now, log }),
    fetch: openPlatforms(scheduler, (place) => draw(random, place)),
  };
  const tookMs: number[] = [];
  let failed = 0;
  const searchOne = async (at: number) => {
    const asker = { account: `account ${at % ACCOUNTS}`, post: postOf(at) };
    const startedMs = now();
    const found = await search({ ...shared, ...asker, signal: new AbortController().signal });
    tookMs.push(now() - startedMs);
    if (!found.ok) failed += 1;
  };
  for (let at = 0; at < REQUESTS; at++) {
    scheduler.after((at * 1_000) / REQUESTS_A_SECOND, () => void searchOne(at));
  }
  await scheduler.drain();
  const shareMs = (share: number) => Math.round(percentile(tookMs, share));
  const [callsARequest, paidCallsARequest] = [calls.all / REQUESTS, calls.paid / REQUESTS];
  const times = { p50Ms: shareMs(0.5), p99Ms: shareMs(0.99), p999Ms: shareMs(0.999) };
  return { ...times, callsARequest, paidCallsARequest, failed };
}

function postOf(at: number): Post {
  const url = new URL(`https://platform.example/${at}`);
  return { id: String(at), owner: null, isShortLink: false, url };
}

/** The service's sources, each of which makes one upstream request and finds one image. */
function withDrawnSources(resolver: Resolver, calls: { all: number; paid: number }): Resolver {
  const url = `https://${resolver.mediaDomains[0]}/image.jpg`;
  const items = [{ type: "image", url } as const];
  const media = success({ items, metadata: { title: null, author: null, caption: null } });
  const sources = resolver.sources.map((source, place): Source => {
    const request = {
      url: `https://platform.example/${place}`,
      hosts: ["platform.example"],
      maxBytes: 9,
    };
    const find: Source["find"] = async (_post, { upstream }) => {
      calls.all += 1;
      if (source.isPaid) calls.paid += 1;
      const reply = await upstream(request);
      return reply.ok ? media : reply;
    };
    return { ...source, find };
  });
  return { ...resolver, sources };
}

/** Answers each request when it is due, unless it is aborted before. */
function openPlatforms(scheduler: Scheduler, drawMs: (place: number) => number): typeof fetch {
  return (input, init) => {
    const answer = Promise.withResolvers<Response>();
    const delayMs = drawMs(Number(new URL(String(input)).pathname.slice(1)));
    const cancel =
      delayMs === Number.POSITIVE_INFINITY
        ? () => {}
        : scheduler.after(delayMs, () => answer.resolve(new Response("ok")));
    init?.signal?.addEventListener("abort", () => {
      cancel();
      answer.reject(init.signal?.reason);
    });
    return answer.promise;
  };
}
