import { v7 as uuidv7 } from "uuid";
import { BEGIN_MS, CLOSING_MS, DAY_END_MS, HOLD_LIFE_MS, OPENING_MS } from "./calendar.ts";
import { inventAttempts } from "./keyed.ts";
import type { Life, Request, TopUp } from "./life.ts";
import { createRandom, type Random } from "./random.ts";
import { SERVICES } from "./services.ts";
import { inventInvoice, inventPurchases, inventRefund, type Movement } from "./trade.ts";

const FAILURES = [
  "MEDIA_NOT_FOUND",
  "UPSTREAM_REJECTED",
  "UPSTREAM_ERROR",
  "UPSTREAM_TIMEOUT",
] as const;

const MINUTE_MS = 60_000;
const BEFORE_OPENING = 0.05;
const FAILED = 0.12;
const ABANDONED = 0.003;
/** The share of accounts whose last request is open during an export. */
const UNDER_WAY = 0.02;

/** Something to add to a life before its credits are bought. */
export type Plant = (life: Life, random: Random) => void;

/**
 * Invents the life of the account with this number. The same seed and number give the same life.
 * @param plant if given, the account existed before the opening
 */
export function inventLife(seed: number, number: number, requests: number, plant?: Plant): Life {
  const random = createRandom(seed, number);
  const account = `acct_${random.hex(18)}`;
  const isOld = random.chance(0.6) || plant !== undefined;
  const createdMs = isOld
    ? random.between(BEGIN_MS, OPENING_MS - 48 * 60 * MINUTE_MS)
    : random.between(OPENING_MS, CLOSING_MS - 72 * 60 * MINUTE_MS);
  const keyId = `key_${random.hex(24)}`;
  const life: Life = { account, createdMs, requests: [], topUps: [] };
  while (life.requests.length < requests) {
    const request = inventRequest(random, keyId, inventTime(random, createdMs));
    life.requests.push(...inventAttempts(random, request, requests - life.requests.length));
  }
  plant?.(life, random);
  addTopUps(random, life);
  return life;
}

/** A successful request for three items of a service with price 1. Settled long ago by default. */
export function plainRequest(random: Random, heldMs: number): Request {
  return {
    id: requestIdAt(random, heldMs),
    keyId: `key_${random.hex(24)}`,
    service: "short-video",
    outcome: "OK",
    reserved: 10,
    itemCount: 3,
    multiplier: 1,
    charge: 3,
    nonce: random.hex(8),
    abandoned: false,
    heldMs,
    recordedMs: heldMs + 1_000,
    releasedMs: heldMs + 1_100,
    expiresMs: heldMs + HOLD_LIFE_MS,
    idempotency: null,
  };
}

/** Times mostly within the month. Some accounts have an open request during an export. */
function inventTime(random: Random, createdMs: number): number {
  const fromMs = createdMs + 10 * MINUTE_MS;
  if (random.chance(UNDER_WAY)) {
    const exports = [OPENING_MS, DAY_END_MS, CLOSING_MS] as const;
    const atMs = random.pick(exports) - random.between(0, 4_000);
    if (atMs > fromMs) return atMs;
  }
  const early = createdMs < OPENING_MS && random.chance(BEFORE_OPENING);
  return early
    ? random.between(fromMs, OPENING_MS - 1)
    : random.between(Math.max(fromMs, OPENING_MS), CLOSING_MS - 1);
}

function inventRequest(random: Random, keyId: string, heldMs: number): Request {
  const [service, multiplier] = random.pick(SERVICES);
  const maxResults = random.between(1, 20);
  const chance = random.next();
  const abandoned = chance < ABANDONED;
  const failed = chance < ABANDONED + FAILED;
  const itemCount = failed ? 0 : random.between(1, maxResults);
  const times = abandoned ? abandonedTimes(random, heldMs) : settledTimes(random, heldMs);
  return {
    id: requestIdAt(random, heldMs),
    keyId,
    service,
    outcome: abandoned ? "ABANDONED" : failed ? random.pick(FAILURES) : "OK",
    reserved: maxResults * multiplier,
    itemCount,
    multiplier,
    charge: itemCount * multiplier,
    nonce: random.hex(8),
    abandoned,
    heldMs,
    expiresMs: heldMs + HOLD_LIFE_MS,
    idempotency: null,
    ...times,
  };
}

/** One in fifty requests loses its release, and the sweep makes up for it. */
function settledTimes(random: Random, heldMs: number) {
  const recordedMs = heldMs + random.between(300, 6_000);
  const swept = random.chance(0.02);
  const releasedMs = swept
    ? heldMs + HOLD_LIFE_MS + random.between(0, MINUTE_MS)
    : recordedMs + random.between(5, 400);
  return { recordedMs, releasedMs };
}

function abandonedTimes(random: Random, heldMs: number) {
  const recordedMs = heldMs + HOLD_LIFE_MS + random.between(0, MINUTE_MS);
  return { recordedMs, releasedMs: recordedMs + random.between(5, 400) };
}

/** The free credits, purchases that pay for everything, a refund, and a few other movements. */
function addTopUps(random: Random, life: Life): void {
  const soonMs = life.createdMs + random.between(10_000, 9 * MINUTE_MS);
  const welcome = {
    kind: "grant",
    reference: "test-results",
    credits: 20,
    announcedMs: life.createdMs,
  } as const;
  const topUps: Movement[] = [welcome, ...inventPurchases(random, life.requests, soonMs)];
  life.topUps.push(...topUps.map((one) => inventTopUp(random, one)));
  const back = inventRefund(random, life);
  if (back !== null) life.topUps.push(inventTopUp(random, back));
  if (random.chance(0.1)) {
    const announcedMs = random.between(soonMs, CLOSING_MS - 1);
    const reference = `ADJ-${random.hex(16)}`;
    const credits = random.pick([-10, 25]);
    life.topUps.push(inventTopUp(random, { kind: "adjustment", reference, credits, announcedMs }));
  }
  if (random.chance(UNDER_WAY)) {
    const announcedMs = CLOSING_MS - random.between(0, 60);
    const late = random.chance(0.5)
      ? ({ kind: "purchase", reference: inventInvoice(random), credits: 500, announcedMs } as const)
      : ({
          kind: "adjustment",
          reference: `LATE-${random.hex(16)}`,
          credits: -10,
          announcedMs,
        } as const);
    life.topUps.push(inventTopUp(random, late));
  }
}

function inventTopUp(random: Random, movement: Movement): TopUp {
  const { kind, announcedMs } = movement;
  return {
    reason: kind === "adjustment" ? "goodwill, or a correction" : null,
    refunds: null,
    ...movement,
    nonce: random.hex(8),
    recordedMs: announcedMs + random.between(5, 30),
    concludedMs: announcedMs + random.between(31, 60),
  };
}

function requestIdAt(random: Random, msecs: number): string {
  return uuidv7({ msecs, random: Buffer.from(random.hex(32), "hex") });
}
