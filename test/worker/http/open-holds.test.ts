import { describe, expect, it } from "vitest";
import { errorSchema, SERVICES, type Service } from "../../../src/contract/schemas.ts";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../../src/credits/limits.ts";
import type { Limiter } from "../../../src/limiter/limiter.ts";
import type { Timer } from "../../../src/runtime/timer.ts";
import type { Resolver } from "../../../src/search/resolver.ts";
import { orderSources, type Resolvers } from "../../../src/search/source-order.ts";
import { RESOLVERS } from "../../support/resolvers.ts";
import {
  ACCOUNTS,
  ALLOWED,
  balancesOf,
  countersOf,
  LEDGER,
  startService,
} from "../../support/service.ts";
import { testSettings } from "../../support/settings.ts";

const WINDOW_MS = 120_000;
const CREDITS = 1_000;
/** The beginnings of posts' URLs. */
const HANGING = {
  "photo-feed": "instagram.com/p/Post",
  "short-video": "tiktok.com/@someone/video/",
  pinboard: "www.pinterest.com/pin/",
} as const;

/** Time that passes only when told to. */
function createTimeline() {
  let nowMs = Date.UTC(2026, 9, 31, 12);
  const planned = new Set<{ readonly atMs: number; readonly ring: () => void }>();
  const timer: Timer = (delayMs, ring) => {
    const entry = { atMs: nowMs + delayMs, ring };
    planned.add(entry);
    return () => void planned.delete(entry);
  };
  const pass = async (durationMs: number) => {
    nowMs += durationMs;
    for (const entry of planned) {
      if (entry.atMs > nowMs) continue;
      planned.delete(entry);
      entry.ring();
    }
    // What has begun goes on to its next wait.
    await new Promise((wake) => setTimeout(wake));
  };
  return { now: () => nowMs, timer, pass };
}

/** A reply with one photo, whatever the post. */
function photoOf(url: URL): Response {
  const media_url_https = "https://pbs.twimg.com/media/Sample.jpg";
  return Response.json({
    __typename: "Tweet",
    id_str: url.searchParams.get("id"),
    text: "",
    user: { screen_name: "someone" },
    mediaDetails: [{ type: "photo", media_url_https }],
  });
}

/** The resolvers, whose sources are given up at the end of the window only. */
function patient(resolvers: Resolvers): Resolvers {
  const wait = { patience: { firstByteMs: WINDOW_MS, betweenBytesMs: WINDOW_MS } };
  const all: Record<Service, Resolver> = { ...resolvers };
  for (const service of SERVICES) {
    const { sources } = resolvers[service];
    all[service] = { ...resolvers[service], sources: sources.map((one) => ({ ...one, ...wait })) };
  }
  return all;
}

/** The service with two platforms: one answers at once, the other one never. */
async function startHalfDead(limiter?: Limiter) {
  const time = createTimeline();
  let onHang = () => {};
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = new URL(String(input));
    if (url.hostname === "cdn.syndication.twimg.com") return Promise.resolve(photoOf(url));
    onHang();
    return new Promise((_, reject) => {
      const signal = init?.signal;
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const { now, timer } = time;
  const settings = testSettings({ RESOLVE_WINDOW_MS: WINDOW_MS }).search;
  const resolvers = orderSources(patient(RESOLVERS), null);
  const parts = { fetch, now, timer, settings, resolvers, ...(limiter && { limiter }) };
  const { engine, account, resolve } = await startService(parts);
  await engine.dynamo.update({
    TableName: ACCOUNTS,
    Key: { account: { S: account } },
    UpdateExpression: "SET available = :credits, granted = :credits",
    ConditionExpression: "attribute_exists(account)",
    ExpressionAttributeValues: { ":credits": { N: String(CREDITS) } },
  });
  let posts = 0;
  const succeed = () => {
    const url = `https://x.com/someone/status/${19_000 + posts++}`;
    return resolve({ service: "microblog", url, max_results: 1 });
  };
  const hanging: Promise<Response>[] = [];
  /** Sends a request for what hangs, and waits until it hangs or is refused. */
  const hang = async (service: keyof typeof HANGING = "photo-feed") => {
    const asked = Promise.withResolvers<void>();
    onHang = asked.resolve;
    const url = `https://${HANGING[service]}${posts++}`;
    const answer = resolve({ service, url, max_results: 1 });
    hanging.push(answer);
    await Promise.race([asked.promise, answer]);
  };
  /** Lets every window end. Returns the answers of all that hung. */
  const outlast = async () => {
    for (let passedMs = 0; passedMs <= WINDOW_MS; passedMs += 1_000) await time.pass(1_000);
    return Promise.all(hanging);
  };
  return { engine, time, hang, hanging, outlast, succeed };
}

describe("while one platform hangs, for three minutes and 120 requests a minute", () => {
  it("requests of another service succeed, and nothing of it remains", async () => {
    const { engine, time, hang, hanging, outlast, succeed } = await startHalfDead();
    let served = 0;
    for (let request = 0; request < 360; request++) {
      await hang();
      await time.pass(500);
      if (request % 4 !== 0) continue;
      expect((await succeed()).status).toBe(200);
      served++;
    }
    expect(countersOf(engine)["open_photo_feed"]).toBe(SERVICE_OPEN_HOLDS_MAX);
    const statuses = (await outlast()).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([504, 429]));
    expect(hanging).toHaveLength(360);
    // The 429s begin when the cap is reached, after a minute, and end when the first window does.
    expect(statuses.indexOf(429)).toBe(SERVICE_OPEN_HOLDS_MAX);
    expect(statuses.filter((status) => status === 429)).toHaveLength(120);

    expect(countersOf(engine)).toEqual({ open_photo_feed: 0, open_microblog: 0 });
    const balances = { available: CREDITS - served, held: 0, charged: served, holds: 0 };
    expect(balancesOf(engine)).toEqual(balances);
    const recorded = engine.scan(LEDGER).map(({ outcome, charge }) => [outcome?.S, charge?.N]);
    expect(recorded.filter(([outcome]) => outcome === "OK")).toHaveLength(served);
    const failures = recorded.filter(([outcome]) => outcome !== "OK");
    expect(failures).toEqual(failures.map(() => ["UPSTREAM_TIMEOUT", "0"]));
    expect(failures).toHaveLength(240);
  });
});

describe("the 429 of too many open requests", () => {
  const answerOf = async (response: Response | undefined) => {
    if (response === undefined) throw new Error("no answer");
    const { code, message } = errorSchema.parse(await response.json());
    const { headers } = response;
    const named = ["retry-after", "ratelimit", "ratelimit-policy"] as const;
    return { status: response.status, code, message, headers: named.map((n) => headers.get(n)) };
  };

  it("names the service, its policy and when to retry, not the requests that are left", async () => {
    const { time, hang, hanging } = await startHalfDead();
    await hang();
    await time.pass(105_500);
    for (let open = 0; open < SERVICE_OPEN_HOLDS_MAX; open++) await hang();
    const answer = await answerOf(await hanging.at(-1));
    expect(answer).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    expect(answer.message).toMatch(/open requests.* 120 .*photo-feed.*until it is answered/);
    const policy = `"holds";q=${SERVICE_OPEN_HOLDS_MAX};qu="concurrent-requests"`;
    expect(answer.headers).toEqual([
      "15",
      `"holds";r=0;t=15;q=${SERVICE_OPEN_HOLDS_MAX};qu="concurrent-requests"`,
      `"default";q=120;w=60, ${policy}`,
    ]);
  });

  it("comes from the account's limit only when a third platform hangs", async () => {
    const { engine, hang, succeed } = await startHalfDead();
    for (let open = 0; open < SERVICE_OPEN_HOLDS_MAX; open++) await hang("photo-feed");
    for (let open = 0; open < SERVICE_OPEN_HOLDS_MAX; open++) await hang("short-video");
    expect((await succeed()).status).toBe(200);
    while (balancesOf(engine).holds < OPEN_HOLDS_MAX) await hang("pinboard");
    const answer = await answerOf(await succeed());
    expect(answer).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    expect(answer.message).toMatch(/open requests.* 250 .*in all.*until it is answered/);
    const policy = `q=${OPEN_HOLDS_MAX};qu="concurrent-requests"`;
    const [retry, state, policies] = answer.headers;
    expect([retry, state]).toEqual(["30", `"holds";r=0;t=30;${policy}`]);
    expect(policies).toBe(`"default";q=120;w=60, "holds";${policy}`);
  });

  it("says nothing of the requests a minute while their limiter is out of reach", async () => {
    const count = async () => ({ ...ALLOWED, remaining: null });
    const { hang, hanging } = await startHalfDead({ refusal: () => null, count });
    for (let open = 0; open <= SERVICE_OPEN_HOLDS_MAX; open++) await hang();
    const { headers } = await answerOf(await hanging.at(-1));
    const policy = `q=${SERVICE_OPEN_HOLDS_MAX};qu="concurrent-requests"`;
    expect(headers).toEqual(["30", `"holds";r=0;t=30;${policy}`, `"holds";${policy}`]);
  });
});
