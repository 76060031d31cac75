import { counterOf, ledgerKey } from "../../../src/credits/items.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import type { Life, Request, TopUp } from "./life.ts";

/** Balances, in credits. */
export interface Balances {
  readonly available: number;
  readonly held: number;
  readonly charged: number;
  readonly granted: number;
}

/** The account's item at a time. Null before it was created. */
export function accountAt(life: Life, timeMs: number): Item | null {
  if (timeMs < life.createdMs) return null;
  const balances = balancesAt(life, timeMs);
  const open = life.requests.filter((one) => one.heldMs < timeMs && timeMs <= one.releasedMs);
  const announced = life.topUps.filter(
    (one) => one.announcedMs < timeMs && timeMs <= one.concludedMs,
  );
  const concluded = life.topUps.filter((one) => one.concludedMs < timeMs);
  return {
    account: { S: life.account },
    email_claim: { S: `email#${life.account}` },
    email_verified: { BOOL: true },
    status: { S: "active" },
    created_at: { S: iso(life.createdMs) },
    available: { N: String(balances.available) },
    held: { N: String(balances.held) },
    charged: { N: String(balances.charged) },
    granted: { N: String(balances.granted) },
    holds: { M: Object.fromEntries(open.map((one) => [one.id, holdOf(one)])) },
    ...countersOf(life, open),
    movements: { N: String(concluded.length) },
    pending: { M: Object.fromEntries(announced.map((one) => [idOf(one), pendingOf(one)])) },
    ...(open.length > 0 && { sweep: { S: "open" } }),
  };
}

export function balancesAt(life: Life, timeMs: number): Balances {
  const granted = life.topUps.reduce((sum, topUp) => sum + grantedAt(topUp, timeMs), 0);
  let held = 0;
  let charged = 0;
  for (const request of life.requests) {
    if (request.releasedMs < timeMs) charged += request.charge;
    else if (request.heldMs < timeMs) held += request.reserved;
  }
  return { available: granted - held - charged, held, charged, granted };
}

/** What an adjustment takes away is taken when it is announced; what is added counts at the end. */
function grantedAt({ credits, announcedMs, concludedMs }: TopUp, timeMs: number): number {
  return (credits < 0 ? announcedMs : concludedMs) < timeMs ? credits : 0;
}

/** Of a request that was lost, the hold is of the form from before holds named their service. */
function holdOf({ reserved, expiresMs, nonce, abandoned, service }: Request): Item[string] {
  const hold = { n: { N: String(reserved) }, exp: { N: String(expiresMs) }, nonce: { S: nonce } };
  return { M: { ...hold, ...(!abandoned && { s: { S: service } }) } };
}

/** Counters of the services that the account has ever used. */
function countersOf({ requests }: Life, open: readonly Request[]): Item {
  const counters: Item = {};
  for (const { service } of requests) counters[counterOf(service)] = { N: "0" };
  for (const { service, abandoned } of open) {
    const name = counterOf(service);
    if (!abandoned) counters[name] = { N: String(Number(counters[name]?.N) + 1) };
  }
  return counters;
}

function pendingOf({ credits, nonce }: TopUp): Item[string] {
  return { M: { n: { N: String(credits) }, nonce: { S: nonce } } };
}

export function idOf({ kind, reference }: TopUp): string {
  return `${kind}:${reference}`;
}

/** A usage record. */
export function usageItem(account: string, request: Request): Item {
  const { abandoned, idempotency } = request;
  return {
    ...ledgerKey(account, request.id),
    kind: { S: "usage" },
    account: { S: account },
    key_id: abandoned ? { NULL: true } : { S: request.keyId },
    service: abandoned ? { NULL: true } : { S: request.service },
    outcome: { S: request.outcome },
    reserved: { N: String(request.reserved) },
    item_count: { N: String(request.itemCount) },
    multiplier: abandoned ? { NULL: true } : { N: String(request.multiplier) },
    charge: { N: String(request.charge) },
    nonce: { S: request.nonce },
    settled_by: { S: abandoned ? "sweep" : "request" },
    settled_at: { S: iso(request.recordedMs) },
    ...(idempotency !== null &&
      !abandoned && {
        idempotency_key: { S: idempotency.keyHash },
        request_hash: { S: idempotency.requestHash },
      }),
  };
}

/** A grant, purchase or adjustment. */
export function topUpItem(account: string, topUp: TopUp): Item {
  return {
    account_period: { S: `${account}#credits` },
    record_id: { S: idOf(topUp) },
    kind: { S: topUp.kind },
    account: { S: account },
    nonce: { S: topUp.nonce },
    reference: { S: topUp.reference },
    credits: { N: String(topUp.credits) },
    ...(topUp.reason !== null && { reason: { S: topUp.reason } }),
    ...(topUp.refunds !== null && { refunds: { S: topUp.refunds } }),
    by: { S: topUp.reference === "test-results" ? "signup" : "billing@example.com" },
    created_at: { S: iso(topUp.recordedMs) },
  };
}

export function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
