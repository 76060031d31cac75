import fc from "fast-check";
import * as z from "zod";
import { formatApiKey } from "../../src/keys/api-key.ts";
import { openIsolateCount } from "../../src/limiter/isolate-count.ts";
import { LIMIT_REQUESTS, type Limiter } from "../../src/limiter/limiter.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import { ACCOUNTS, addAccount, addKey, balancesOf, startService } from "../support/service.ts";
import { createTally, type Fuzz, pasteable } from "./fuzz.ts";

/**
 * Two tenants of one isolate. One is hostile: it asks for posts on which sources fail, floods, sends
 * garbage and tries keys. The other one's answers must be the same as without it.
 */

const START_MS = Date.UTC(2026, 9, 31, 12);
const CREDITS = 500;
const TENANT = { account: "acct_tenant", seed: 1 };
const HOSTILE = { account: "acct_hostile", seed: 2 };

/** What the platform says about a post, by the last digit of its id. */
const FATES = [
  ...["media", "media", "media", "media", "gone", "drift", "withheld", "403", "500", "network"],
] as const;
type Fate = (typeof FATES)[number];

/** A tenant's own posts say something of themselves at most. */
const OWN_FATES: readonly Fate[] = ["media", "gone", "drift", "withheld"];

/** One thing that a tenant does at a time. */
interface Event {
  readonly who: "tenant" | "hostile";
  readonly atMs: number;
  readonly does: "ask" | "garbage" | "unknown key" | "flood";
  readonly service: "microblog" | "messenger-channel";
  readonly post: number;
  readonly count: number;
}

const FLOOD = 125;
/** For the cases of a slice and, after one that failed, for making it smaller. */
const PATIENCE_MS = 120_000;
const HOUR_MS = 3_600_000;

const shared = {
  // Many at the same moment, and some minutes apart.
  atMs: fc.oneof(fc.constantFrom(0, 1_000, 31_000), fc.nat({ max: 200_000 })),
  service: fc.constantFrom<Event["service"]>("microblog", "messenger-channel"),
  count: fc.integer({ min: 1, max: 20 }),
};
const tenantEvent: fc.Arbitrary<Event> = fc.record({
  ...shared,
  who: fc.constant("tenant"),
  does: fc.constant("ask"),
  post: fc.nat({ max: 99 }).filter((post) => OWN_FATES.includes(fateOf(post))),
});
const hostileEvent: fc.Arbitrary<Event> = fc.record({
  ...shared,
  who: fc.constant("hostile"),
  does: fc.oneof(
    { weight: 200, arbitrary: fc.constant<Event["does"]>("ask") },
    { weight: 40, arbitrary: fc.constantFrom<Event["does"]>("garbage", "unknown key") },
    { weight: 1, arbitrary: fc.constant<Event["does"]>("flood") },
  ),
  post: fc.nat({ max: 99 }),
});

const lengths = { minLength: 1, maxLength: 40, size: "max" } as const;

/** Everything at once; or nothing but posts of one service on which its source fails the same way. */
const hostileEvents: fc.Arbitrary<readonly Event[]> = fc.oneof(
  fc.array(hostileEvent, lengths),
  fc.tuple(shared.service, fc.integer({ min: 4, max: 9 })).chain(([service, fate]) =>
    fc.array(
      fc.tuple(shared.atMs, fc.nat({ max: 9 })).map(([atMs, tens]): Event => {
        const post = tens * 10 + fate;
        return { who: "hostile", does: "ask", atMs, service, post, count: 1 };
      }),
      lengths,
    ),
  ),
);

function fateOf(post: number): Fate {
  return FATES[post % 10] ?? "media";
}

const idSchema = z.coerce.number();

/** The platforms: what they say depends on the post alone. */
const platform: typeof fetch = async (input, init) => {
  const { url } = new Request(input, init);
  const { hostname, pathname, searchParams } = new URL(url);
  const id = searchParams.get("id") ?? pathname.split("/").at(-1) ?? "0";
  const fate = fateOf(idSchema.catch(0).parse(id));
  if (fate === "network") throw new Error("connection reset");
  if (fate === "403" || fate === "500") return new Response("", { status: Number(fate) });
  return new Response(hostname === "t.me" ? messageOf(id, fate) : statusOf(id, fate));
};

function statusOf(id: string, fate: Fate): string {
  if (fate === "gone") return "{}";
  if (fate === "withheld") return JSON.stringify({ __typename: "TweetTombstone" });
  const mediaDetails = [{ type: "photo", media_url_https: "https://pbs.twimg.com/media/a.jpg" }];
  return JSON.stringify({ __typename: fate === "drift" ? "X" : "Tweet", id_str: id, mediaDetails });
}

function messageOf(id: string, fate: Fate): string {
  if (fate === "gone") return '<div class="tgme_widget_message_error">Post not found</div>';
  if (fate === "drift") return "<html></html>";
  const media =
    fate === "withheld"
      ? '<div class="message_media_not_supported_label">Not supported</div>'
      : `<a class="tgme_widget_message_photo_wrap" href="https://t.me/chan/${id}" style="background-image:url('https://cdn4.telesco.pe/file/a.jpg')"></a>`;
  return `<div class="tgme_widget_message" data-post="chan/${id}">${media}</div>`;
}

/** The isolate's own count, as while the shared limiter is out of reach. */
function isolateLimiter(now: () => number): Limiter {
  const own = openIsolateCount(now, LIMIT_REQUESTS);
  const verdict = (allowed: boolean) => ({ allowed, resetMs: own.resetMs(), remaining: null });
  return {
    refusal: (keyId) => (own.isSpent(keyId) ? verdict(false) : null),
    count: async (keyId) => verdict(own.count(keyId)),
  };
}

async function openIsolate() {
  let nowMs = START_MS;
  const now = () => nowMs;
  const service = await startService({
    now,
    fetch: platform,
    breaker: openBreaker({ now, log: () => {} }),
    limiter: isolateLimiter(now),
  });
  const { dynamo } = service.engine;
  const keys = { tenant: "", hostile: "" };
  for (const [who, { account, seed }] of [
    ["tenant", TENANT],
    ["hostile", HOSTILE],
  ] as const) {
    await addAccount(dynamo, { account, credits: CREDITS });
    keys[who] = await addKey(dynamo, account, { seed: 10 + seed });
  }
  const moveTo = (atMs: number) => {
    nowMs = START_MS + atMs;
  };
  return { ...service, keys, moveTo };
}
type Isolate = Awaited<ReturnType<typeof openIsolate>>;

async function act({ send, keys }: Isolate, event: Event): Promise<string> {
  const id = event.post;
  const url =
    event.service === "microblog" ? `https://x.com/u/status/${id}` : `https://t.me/chan/${id}`;
  const stranger = formatApiKey(new Uint8Array(32).fill(100 + (id % 100)));
  const key = event.does === "unknown key" ? stranger : keys[event.who];
  const asks = event.does === "ask" || event.does === "unknown key";
  const body = asks ? { service: event.service, url, max_results: event.count } : { url: id };
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    return send("/v1/resolve", { method: "POST", headers, body: JSON.stringify(body) });
  };
  const times = event.does === "flood" ? FLOOD : 1;
  const [first] = await Promise.all(Array.from({ length: times }, ask));
  return first === undefined ? "" : answerOf(first);
}

/** All of an answer but its request's name. */
async function answerOf(response: Response): Promise<string> {
  const body = z.record(z.string(), z.unknown()).parse(await response.json());
  const { request_id: _, ...told } = body;
  const names = ["RateLimit", "Retry-After", "X-Credits-Charged", "X-Credits-Available"];
  const headers = names.map((name) => response.headers.get(name));
  return JSON.stringify([response.status, told, headers]);
}

/** Everything that the tenant is told, in its order, and its account in the end. */
export async function tenantsView(events: readonly Event[]): Promise<readonly string[]> {
  const isolate = await openIsolate();
  const told: string[] = [];
  const moments = Map.groupBy(events, ({ atMs }) => atMs);
  for (const [atMs, together] of [...moments].toSorted(([a], [b]) => a - b)) {
    isolate.moveTo(atMs);
    const answers = await Promise.all(together.map((event) => act(isolate, event)));
    told.push(...answers.filter((_, at) => together[at]?.who === "tenant"));
  }
  isolate.moveTo(HOUR_MS);
  const left = balancesOf(isolate.engine, TENANT.account);
  const sums = isolate.engine
    .scan(ACCOUNTS)
    .map((item) => balancesOf(isolate.engine, item["account"]?.S));
  const isConserved = sums.slice(1).every((one) => one.available + one.charged === CREDITS);
  return [...told, JSON.stringify(left), `credits conserved: ${isConserved}`];
}

/** Interleavings of two tenants: the one must not feel the other. */
export const fuzzTenants: Fuzz = async (seed, cases) => {
  const tally = createTally();
  const property = fc.asyncProperty(
    fc.array(tenantEvent, { minLength: 1, maxLength: 6 }),
    hostileEvents,
    fc.infiniteStream(fc.boolean()),
    async (own, hostile, order) => {
      const mixed = interleaved(own, hostile, order);
      const [alone, together] = [await tenantsView(own), await tenantsView(mixed)];
      tally.add(`${hostile.length > 20 ? "many" : "few"} hostile requests`);
      if (JSON.stringify(alone) !== JSON.stringify(together)) {
        const at = alone.findIndex((told, index) => told !== together[index]);
        throw new Error(`alone:    ${alone[at]}\ntogether: ${together[at]}`);
      }
    },
  );
  const report = await fc.check(property, {
    seed,
    numRuns: cases,
    interruptAfterTimeLimit: PATIENCE_MS,
  });
  return tally.findings(
    pasteable(report, ([own, hostile]) => {
      const lists = `const own = ${JSON.stringify(own)};\n  const hostile = ${JSON.stringify(hostile)};`;
      const claim =
        "expect(await tenantsView([...own, ...hostile])).toEqual(await tenantsView(own));";
      return `// import { tenantsView } from "test/fuzz/tenants.ts"\nit("gives a tenant its own answers", async () => {\n  ${lists}\n  ${claim}\n});`;
    }),
  );
};

/** Both lists as one; which of two events at the same moment comes first is drawn. */
function interleaved(
  own: readonly Event[],
  hostile: readonly Event[],
  order: Iterable<boolean>,
): readonly Event[] {
  const left = { tenant: [...own], hostile: [...hostile] };
  const mixed: Event[] = [];
  for (const isOwn of order) {
    const next = (isOwn ? left.tenant : left.hostile).shift();
    if (next !== undefined) mixed.push(next);
    if (left.tenant.length + left.hostile.length === 0) break;
  }
  return mixed;
}
