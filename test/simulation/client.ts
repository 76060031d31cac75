import type { ErrorCode } from "../../src/contract/errors.ts";
import { success } from "../../src/contract/result.ts";
import type { ResolveRequest, Service } from "../../src/contract/schemas.ts";
import type { Ledger } from "../../src/credits/ledger.ts";
import { HOLD_GRACE_MS } from "../../src/credits/limits.ts";
import { authenticator } from "../../src/credits/record-mac.ts";
import { admit } from "../../src/keys/admit.ts";
import { openKeyMemory } from "../../src/keys/key-memory.ts";
import { startTrace, type Trace } from "../../src/log/request-line.ts";
import {
  type Call,
  type Collaborators,
  resolve,
  type Told as ToldBeside,
} from "../../src/resolve.ts";
import type { Timer } from "../../src/runtime/timer.ts";
import { openBreaker } from "../../src/search/breaker.ts";
import type { Dynamo, Item } from "../../src/store/dynamodb.ts";
import { ACCOUNTS, KEYS, LEDGER } from "../support/memory-dynamodb/store.ts";
import { testSettings } from "../support/settings.ts";
import { connect } from "./network.ts";
import { POSTS, pickPost, SOURCELESS_POSTS } from "./posts.ts";
import { createProcess, type Process } from "./process.ts";
import { createUpstream, SIMULATED } from "./upstream.ts";
import type { World } from "./world.ts";

/** What a client was told. Null if it went away, or its worker died, before the answer. */
export type Told =
  | {
      readonly code: "OK";
      readonly credits: number;
      readonly items: number;
      /** The answer repeats one that was paid before. */
      readonly isReplay: boolean;
    }
  | { readonly code: ErrorCode }
  | null;

/** What is known about one request. */
export interface Asked {
  /** The id of its record, as soon as it is known which that is. */
  requestId: string;
  /** Its `Idempotency-Key`. Null without one. */
  readonly idempotencyKey: string | null;
  readonly account: string;
  readonly keyId: string;
  readonly service: Service;
  readonly credits: number;
  readonly startedMs: number;
  told: Told;
  /** Whether an upstream request was sent before there was a hold. */
  upstreamWithoutHold: boolean;
  /** Timers and upstream requests that are still open. */
  readonly open: Set<string>;
  /** Those that were open when the request had ended. There must be none. */
  outlived: readonly string[];
  /** The account that refused the last reserve, and when the process learned of it. */
  refusal: { readonly item: Item; readonly atMs: number } | null;
  /** An exception that escaped. There must be none. */
  thrown: string | null;
}

/** An account's key, and the function that clients call. */
export interface Customer {
  readonly account: string;
  readonly key: string;
  readonly keyId: string;
}

const WINDOW_MS = 120_000;
/** How long the runtime keeps a worker after the client has gone, or after the response. */
const AFTERLIFE_MS = 30_000;

export function collaboratorsOf(world: World, process: Process): Collaborators {
  const { random, scheduler } = world;
  const dynamo = connect(world, process);
  const ledger: Ledger = {
    dynamo,
    accountsTable: ACCOUNTS,
    ledgerTable: LEDGER,
    now: process.now,
    sleep: process.sleep,
    random: random.next,
    nonce: () => `n${world.count()}`,
    authenticate: authenticator(null),
    holdLifeMs: WINDOW_MS + HOLD_GRACE_MS,
    log: () => {},
  };
  return {
    dynamo,
    apiKeysTable: KEYS,
    limiter: {
      refusal: () => null,
      count: async () => {
        await process.sleep(random.between(1, 500));
        const allowed = !random.chance(0.02);
        return { allowed, remaining: 1, resetMs: process.now() + 1 };
      },
    },
    replays: {
      refusal: () => null,
      count: async () => ({ allowed: true, remaining: 1, resetMs: 0 }),
    },
    addressLimiter: async () => true,
    keyMemory: openKeyMemory(process.now),
    ledger,
    resolvers: SIMULATED,
    breaker: openBreaker({ now: process.now, log: () => {} }),
    fetch: createUpstream(world, process),
    settings: testSettings({ RESOLVE_WINDOW_MS: WINDOW_MS }).search,
    now: process.now,
    timer: (delayMs, ring) =>
      scheduler.after(delayMs, () => {
        if (process.isAlive()) ring();
      }),
    requestId: () => "",
    log: () => {},
  };
}

/** What a client sends: once, or several times under one key. */
export interface Sent {
  readonly wanted: ResolveRequest;
  readonly idempotencyKey: string | null;
}

/** A request of which nothing is known yet. */
function newlyAsked(world: World, customer: Customer, { wanted, idempotencyKey }: Sent): Asked {
  return {
    requestId: requestIdAt(world),
    idempotencyKey,
    account: customer.account,
    keyId: customer.keyId,
    service: wanted.service,
    credits: wanted.max_results * SIMULATED[wanted.service].multiplier,
    startedMs: world.scheduler.now(),
    told: null,
    upstreamWithoutHold: false,
    open: new Set(),
    outlived: [],
    refusal: null,
    thrown: null,
  };
}

/** One request of a client, from its start until its worker has ended. */
export function ask(world: World, customer: Customer, sent: Sent): Asked {
  const { random, scheduler } = world;
  const { wanted, idempotencyKey } = sent;
  const process = createProcess(world, `request ${world.count()}`);
  const asked = newlyAsked(world, customer, sent);
  world.note(`${process.name} is ${asked.requestId}, ${wanted.service}, ${asked.credits} credits`);

  const client = new AbortController();
  const gone = () => {
    world.fault("client gone", process.name);
    client.abort();
    scheduler.after(AFTERLIFE_MS, () => process.kill("killed after the client left"));
  };
  const patienceMs = random.between(0, random.pick([2_000, 130_000]));
  const stopWaiting = random.chance(0.15) ? scheduler.after(patienceMs, gone) : () => {};

  const service = watched(world, asked, collaboratorsOf(world, process));
  const afterwards: Promise<unknown>[] = [];
  const beside = { isReplay: false };
  const call = {
    signal: client.signal,
    waitUntil: (work: Promise<unknown>) => afterwards.push(work),
    idempotencyKey: idempotencyKey ?? undefined,
    tell: ({ requestId, isReplay }: ToldBeside) => {
      if (requestId !== undefined) asked.requestId = requestId;
      if (isReplay) world.fault("replayed", process.name);
      beside.isReplay ||= isReplay === true;
    },
  };
  serve(world, service, { customer, asked, wanted, call }).then(
    (told) => {
      stopWaiting();
      // A process that dies at this moment leaves its requests as they are.
      if (process.isAlive()) asked.outlived = [...asked.open];
      if (!client.signal.aborted) asked.told = told?.code === "OK" ? { ...told, ...beside } : told;
      world.note(`${process.name} answers ${JSON.stringify(told)}`);
      const graceMs = random.chance(0.1) ? random.between(0, 200) : AFTERLIFE_MS;
      const stop = scheduler.after(graceMs, () => process.kill("waitUntil killed"));
      void Promise.all(afterwards).then(stop);
    },
    (error: unknown) => {
      asked.thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    },
  );
  return asked;
}

interface Serving {
  readonly customer: Customer;
  readonly asked: Asked;
  readonly wanted: ResolveRequest;
  readonly call: Omit<Call, "trace">;
}

async function serve(
  world: World,
  service: Collaborators,
  { customer, asked, wanted, call }: Serving,
): Promise<Told> {
  const trace = startTrace(asked.requestId, service.now);
  const authorization = `Bearer ${customer.key}`;
  const arrival = { authorization, address: null, readBody: async () => success("") };
  const { caller } = await admit(service, trace, arrival);
  if (!caller.ok) return { code: caller.failure.code };
  const { key } = caller.value;
  const result = await resolve(service, { call: { ...call, trace }, key }, wanted);
  noteHedging(world, asked, trace);
  if (!result.ok) {
    if (result.failure.cause === "another attempt is under way")
      world.fault("under way", key.keyId);
    return { code: result.failure.code };
  }
  const { credits_used, item_count } = result.value;
  return { code: "OK", credits: credits_used, items: item_count, isReplay: false };
}

/** Counts requests that asked a source because another was silent, and those that it helped. */
function noteHedging(world: World, { requestId }: Asked, trace: Trace): void {
  const { hedges, hedge_won } = trace.line(200, "OK");
  if (hedges !== undefined) world.fault("hedged", requestId);
  if (hedge_won === true) world.fault("hedge won", requestId);
}

/** Checks at every upstream request that the hold is durable; records refusals and what is open. */
function watched(world: World, asked: Asked, service: Collaborators): Collaborators {
  const { engine } = world;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const isHeld = engine.changes.some(({ after }) => after["holds"]?.M?.[asked.requestId]);
    if (!isHeld && !isPaidFor(world, asked)) asked.upstreamWithoutHold = true;
    const close = open(asked, `request ${world.count()}`);
    return service.fetch(input, init).finally(close);
  };
  const timer: Timer = (delayMs, ring) => {
    const close = open(asked, `timer of ${delayMs} ms, ${world.count()}`);
    const cancel = service.timer(delayMs, () => {
      close();
      ring();
    });
    return () => {
      close();
      cancel();
    };
  };
  const update: Dynamo["update"] = async (request) => {
    const write = await service.ledger.dynamo.update(request);
    const isReserve = request.ExpressionAttributeValues?.[":hold"] !== undefined;
    if (isReserve && write.outcome === "refused" && write.item !== null) {
      asked.refusal = { item: write.item, atMs: service.now() };
    }
    return write;
  };
  const ledger = { ...service.ledger, dynamo: { ...service.ledger.dynamo, update } };
  return { ...service, fetch, timer, ledger };
}

/** Whether the ledger has a success under the request's key. */
function isPaidFor({ engine }: World, { account, idempotencyKey }: Asked): boolean {
  if (idempotencyKey === null) return false;
  const own = engine.scan(LEDGER).filter((item) => item["account"]?.S === account);
  return own.some((item) => item["outcome"]?.S === "OK" && item["idempotency_key"] !== undefined);
}

/** Returns the function that closes it. */
function open({ open: all }: Asked, what: string): () => void {
  all.add(what);
  return () => void all.delete(what);
}

export function drawRequest({ random }: World): ResolveRequest {
  const max_results = random.pick([1, 5, 20, random.between(1, 20)]);
  const id = random.between(1, 1_000_000);
  if (random.chance(0.05)) return { ...pickPost(random, SOURCELESS_POSTS), max_results };
  if (random.chance(0.5)) {
    return { service: "microblog", url: `https://x.com/someone/status/${id}`, max_results };
  }
  return { ...pickPost(random, POSTS), max_results };
}

/** A UUIDv7 with a counter as its random part. */
function requestIdAt(world: World): string {
  const time = world.scheduler.now().toString(16).padStart(12, "0");
  const rest = world.count().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}`;
}
