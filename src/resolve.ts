import { failed, type Result, success } from "./contract/result.ts";
import type { ResolveRequest, ResolveResponse, Service } from "./contract/schemas.ts";
import type { UsageOutcome } from "./credits/items.ts";
import type { Hold, Ledger } from "./credits/ledger.ts";
import { reserve } from "./credits/reserve.ts";
import { release, settle } from "./credits/settle.ts";
import type { Doorkeeper } from "./keys/admit.ts";
import type { ApiKey } from "./keys/lookup.ts";
import type { Log } from "./log/log.ts";
import type { Trace } from "./log/request-line.ts";
import { describeThrown } from "./log/scrub.ts";
import type { Timer } from "./runtime/timer.ts";
import type { Breaker } from "./search/breaker.ts";
import { parsePostUrl } from "./search/post-url.ts";
import type { Post, Resolver } from "./search/resolver.ts";
import { type Found, search } from "./search/search.ts";
import type { SearchSettings } from "./search/settings.ts";

/**
 * Everything that the path of a request works with. `assemble.ts` puts it together, or a test does.
 */
export interface Collaborators extends Doorkeeper {
  readonly ledger: Ledger;
  /** Each with the sources that can be asked, in order. */
  readonly resolvers: Readonly<Record<Service, Resolver>>;
  readonly breaker: Breaker;
  /** For upstream requests. */
  readonly fetch: typeof fetch;
  /** The window, and how upstream requests go out. */
  readonly settings: SearchSettings;
  /** Ends an attempt's share of the window, and the wait for a request's body. */
  readonly timer: Timer;
  readonly requestId: () => string;
  readonly log: Log;
}

/** One request on its way. */
export interface Call {
  readonly trace: Trace;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Keeps work alive after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/**
 * The second half of a request, on a valid body: check the URL, reserve, resolve, settle or refund.
 * The first half, which authenticates and limits, is `admit` in `keys/`; `app.ts` has the steps between.
 *
 * No upstream request is made before the reservation is durable, and what the client is told is
 * what the ledger holds. Only the release of the hold may run after the response.
 */
export async function resolve(
  service: Collaborators,
  { call, key }: { call: Call; key: ApiKey },
  request: ResolveRequest,
): Promise<Result<ResolveResponse>> {
  const { trace } = call;
  const resolver = service.resolvers[request.service];
  trace.note({ service: request.service });

  const post = parsePostUrl(request.url, resolver, Object.values(service.resolvers));
  if (!post.ok) return post;

  const { requestId } = trace;
  const credits = request.max_results * resolver.multiplier;
  const reservation = { account: key.account, requestId, service: request.service, credits };
  const hold = await trace.time("reserve", () => reserve(service.ledger, reservation));
  if (!hold.ok) return hold;
  trace.note({ reserved: credits });

  const { account } = key;
  const find = () => findMedia(service, call, { account, resolver, post: post.value, request });
  const found = await trace.time("resolve", find);

  const settled = await settleAs(service, call, { key, resolver, hold: hold.value, found });
  if (!settled.ok) return settled;
  if (!found.ok) return found;
  const { items, metadata } = found.value;
  return success({
    ok: true,
    service: request.service,
    source_url: post.value.url.href,
    item_count: items.length,
    items: [...items],
    metadata,
    request_id: requestId,
    credits_used: settled.value,
  });
}

interface Task {
  readonly account: string;
  readonly resolver: Resolver;
  readonly post: Post;
  readonly request: ResolveRequest;
}

/** Asks the sources. Never throws: whatever goes wrong, the hold must be settled. */
async function findMedia(
  service: Collaborators,
  { trace, signal }: Call,
  { account, resolver, post, request }: Task,
): Promise<Result<Found>> {
  try {
    const { breaker, fetch, settings, now, timer } = service;
    const found = await search({
      ...{ breaker, fetch, settings, now, timer, signal, resolver, post, account },
      log: (entry) => service.log({ request_id: trace.requestId, ...entry }),
      note: trace.note,
      maxResults: request.max_results,
    });
    if (found.ok) trace.note({ source: found.value.source });
    // Nobody would read the answer, so nobody pays for it.
    return found.ok && signal.aborted ? failed("UPSTREAM_ERROR", "the client has gone") : found;
  } catch (error) {
    return failed("UPSTREAM_ERROR", `exception: ${describeThrown(error)}`);
  }
}

interface Ending {
  readonly key: ApiKey;
  readonly resolver: Resolver;
  readonly hold: Hold;
  readonly found: Result<Found>;
}

/** Settles or refunds. Returns the charge of the ledger's record. */
async function settleAs(
  service: Collaborators,
  { trace, waitUntil }: Call,
  { key, resolver, hold, found }: Ending,
): Promise<Result<number>> {
  const { multiplier } = resolver;
  const itemCount = found.ok ? found.value.items.length : 0;
  const outcome: UsageOutcome = found.ok ? "OK" : found.failure.code;
  const settlement = {
    keyId: key.keyId,
    service: resolver.service,
    outcome,
    itemCount,
    multiplier,
  };
  const decided = await trace.time("settle", () => settle(service.ledger, hold, settlement));
  if (decided === null) {
    // The only case in which the ledger may differ from what the client is told.
    const { account, requestId, nonce } = hold;
    service.log({
      event: "settlement_unknown",
      alarm: true,
      account,
      request_id: requestId,
      nonce,
    });
    return failed("UPSTREAM_ERROR", "settle: no record could be written");
  }
  trace.note({ credits: decided.charge, items: itemCount });
  waitUntil(release(service.ledger, hold, decided.charge));
  // The hold had expired, and the sweep has recorded that nothing is charged.
  const swept = decided.charge !== itemCount * multiplier;
  return swept ? failed("UPSTREAM_ERROR", "settle: too late") : success(decided.charge);
}
