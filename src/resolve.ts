import { failed, type Result, success } from "./contract/result.ts";
import type { ResolveRequest, ResolveResponse, Service } from "./contract/schemas.ts";
import type { Recorded, UsageOutcome } from "./credits/items.ts";
import type { Ledger } from "./credits/ledger.ts";
import { type Reserved, reserve } from "./credits/reserve.ts";
import { release, settle } from "./credits/settle.ts";
import {
  type Begun,
  begin,
  beginAlone,
  isAlone,
  type Repetition,
  usedOtherwise,
} from "./idempotency/begin.ts";
import type { Doorkeeper } from "./keys/admit.ts";
import type { ApiKey } from "./keys/lookup.ts";
import { type Limiter, resetSeconds } from "./limiter/limiter.ts";
import type { Log } from "./log/log.ts";
import type { Trace } from "./log/request-line.ts";
import type { Timer } from "./runtime/timer.ts";
import type { Breaker } from "./search/breaker.ts";
import { findMedia } from "./search/find-media.ts";
import { parsePostUrl } from "./search/post-url.ts";
import type { Post, Resolver } from "./search/resolver.ts";
import type { Found } from "./search/search.ts";
import type { SearchSettings } from "./search/settings.ts";

/**
 * Everything that the path of a request works with. `assemble.ts` puts it together, or a test does.
 */
export interface Collaborators extends Doorkeeper {
  readonly ledger: Ledger;
  /** Counts the free repetitions under an `Idempotency-Key`. */
  readonly replays: Limiter;
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

/** What the client learns beside the answer itself. */
export interface Told {
  /** Credits that this request has cost, and the account's available ones after it. */
  readonly charged?: number;
  readonly available?: number | null;
  /** The id of the request's usage record, where that is not the one it came with. */
  readonly requestId?: string;
  /** The answer repeats one that was paid before. */
  readonly isReplay?: true;
}

/** One request on its way. */
export interface Call {
  readonly trace: Trace;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Keeps work alive after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  readonly tell: (told: Told) => void;
}

/** What every step of one request works on. */
interface Task {
  readonly call: Call;
  readonly key: ApiKey;
  readonly resolver: Resolver;
  readonly post: Post;
  readonly request: ResolveRequest;
}

/**
 * The second half of a request, on a valid body: check the URL, reserve, resolve, settle or refund.
 * The first half, which authenticates and limits, is `admit` in `keys/`; `app.ts` has the steps between.
 *
 * No upstream request is made before the reservation is durable, and what the client is told is
 * what the ledger holds. Only the release of the hold may run after the response. A request whose
 * `Idempotency-Key` was paid for before is resolved again without a reservation.
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
  const task = { call, key, resolver, post: post.value, request };

  const beginning = await beginTask(service, task);
  if (!beginning.ok) return beginning;
  const { begun } = beginning.value;
  if (begun === null) return replay(service, task, beginning.value);

  const reserved = await reserveFor(service, task, begun);
  if (!reserved.ok) return reserved;
  const found = await find(service, task, request.max_results);

  return settleAs(service, task, { begun, reserved: reserved.value, found });
}

/** A request without `Idempotency-Key` reads nothing here. */
async function beginTask({ ledger }: Collaborators, { call, key, request }: Task) {
  const { trace, idempotencyKey } = call;
  if (idempotencyKey === undefined) return success(beginAlone(trace.requestId));
  const scope = { key: idempotencyKey, account: key.account };
  return trace.time("attempts", () => begin(ledger, scope, request));
}

async function reserveFor(
  service: Collaborators,
  task: Task,
  begun: Begun,
): Promise<Result<Reserved>> {
  const { ledger } = service;
  const { call, key, resolver, request } = task;
  const { requestId, rivals } = begun;
  if (begun.idempotency !== null) {
    call.trace.rename(requestId);
    call.tell({ requestId });
  }
  const credits = request.max_results * resolver.multiplier;
  const wanted = { account: key.account, requestId, rivals, service: request.service, credits };
  const reserved = await call.trace.time("reserve", () => reserve(ledger, wanted));
  if (!reserved.ok) return reserved;
  call.trace.note({ reserved: credits });
  if (await isAlone(ledger, key.account, begun)) return reserved;
  const retry = { message: UNDER_WAY, retryAfterSeconds: 1 };
  const refused = failed("RATE_LIMITED", "another attempt has ended meanwhile", retry);
  await settleAs(service, task, { begun, reserved: reserved.value, found: refused });
  return refused;
}

const UNDER_WAY = "A request with this Idempotency-Key has just ended. Retry to get its answer.";

/** Resolves again what was paid before, at most as many items, and charges nothing. */
async function replay(
  service: Collaborators,
  task: Task,
  { paid, idempotency }: Repetition,
): Promise<Result<ResolveResponse>> {
  const { call } = task;
  call.trace.note({ replayed: paid.requestId });
  const verdict = await service.replays.count(idempotency.keyHash);
  if (!verdict.allowed) {
    const message = "Too many repetitions with this Idempotency-Key today.";
    const retryAfterSeconds = resetSeconds(verdict, service.now());
    return failed("RATE_LIMITED", "too many repetitions", { message, retryAfterSeconds });
  }
  const found = await find(service, task, paid.itemCount);
  return found.ok ? repeat(task, found.value, paid) : found;
}

/** The answer to a repetition. */
function repeat({ call, ...task }: Task, found: Found, paid: Recorded): Result<ResolveResponse> {
  const items = found.items.slice(0, paid.itemCount);
  call.tell({ charged: 0, requestId: paid.requestId, isReplay: true });
  call.trace.note({ replayed: paid.requestId, items: items.length });
  return success(respond(task, { ...found, items }, paid));
}

function respond(
  { request, post }: Pick<Task, "request" | "post">,
  { items, metadata }: Found,
  { requestId, charge }: Pick<Recorded, "requestId" | "charge">,
): ResolveResponse {
  return {
    ok: true,
    service: request.service,
    source_url: post.url.href,
    item_count: items.length,
    items: [...items],
    metadata,
    request_id: requestId,
    credits_used: charge,
  };
}

/** Asks the sources for at most so many items. */
function find(service: Collaborators, task: Task, maxResults: number): Promise<Result<Found>> {
  const { breaker, fetch, settings, now, timer, log } = service;
  const { call, key, resolver, post } = task;
  const { trace, signal } = call;
  const asked = { resolver, post, account: key.account, maxResults, signal };
  return findMedia(trace, { breaker, fetch, settings, now, timer, log, ...asked });
}

interface Ending {
  readonly begun: Begun;
  readonly reserved: Reserved;
  readonly found: Result<Found>;
}

/** Settles or refunds, and answers with what the ledger's record says. */
async function settleAs(
  service: Collaborators,
  task: Task,
  { begun, reserved: hold, found }: Ending,
): Promise<Result<ResolveResponse>> {
  const { call, key, resolver } = task;
  const { multiplier } = resolver;
  const itemCount = found.ok ? found.value.items.length : 0;
  const outcome: UsageOutcome = found.ok ? "OK" : found.failure.code;
  const settlement = {
    ...{ keyId: key.keyId, service: resolver.service, outcome, itemCount, multiplier },
    idempotency: begun.idempotency ?? undefined,
  };
  const decided = await call.trace.time("settle", () => settle(service.ledger, hold, settlement));
  if (decided === null) return unknownSettlement(service, hold);
  const { charge, other } = decided;
  call.trace.note({ credits: charge, items: itemCount });
  call.waitUntil(release(service.ledger, hold, charge));
  const { available } = hold;
  const left = available === null ? null : available + hold.credits - charge;
  call.tell({ charged: charge, available: left });
  if (!found.ok) return found;
  // An attempt with the same id was first. What it paid for is what this one may return.
  if (other?.isPaid) {
    const isSame = other.requestHash === begun.idempotency?.requestHash;
    return isSame ? repeat(task, found.value, other) : usedOtherwise();
  }
  // The hold had expired, and the sweep has recorded that nothing is charged.
  if (charge !== itemCount * multiplier) return failed("UPSTREAM_ERROR", "settle: too late");
  return success(respond(task, found.value, { requestId: hold.requestId, charge }));
}

/** The only case in which the ledger may differ from what the client is told. */
function unknownSettlement(service: Collaborators, { account, requestId, nonce }: Reserved) {
  service.log({
    event: "settlement_unknown",
    alarm: true,
    account,
    request_id: requestId,
    nonce,
  });
  return failed("UPSTREAM_ERROR", "settle: no record could be written");
}
