import { failed, type Result, success } from "../contract/result.ts";
import type { Service } from "../contract/schemas.ts";
import type { ConditionalUpdate, Item } from "../store/dynamodb.ts";
import { openAccount } from "./account.ts";
import { crowded } from "./crowded.ts";
import { healAll } from "./heal.ts";
import {
  type Account,
  accountState,
  availableIn,
  counterOf,
  expiredHolds,
  type OpenHold,
  writeHold,
} from "./items.ts";
import { accountAddress, backOff, type Hold, type Ledger } from "./ledger.ts";
import {
  ADOPTION_GRACE_MS,
  HOLD_GRACE_MS,
  OPEN_HOLDS_MAX,
  RESERVE_ATTEMPTS,
  RESERVE_PATIENCE_MS,
  SERVICE_OPEN_HOLDS_MAX,
  SWEEP_CONCURRENCY,
} from "./limits.ts";

export interface Reservation {
  readonly account: string;
  readonly requestId: string;
  /** Ids of other requests: while one of them has a hold, there is no reservation. */
  readonly rivals?: readonly string[];
  readonly service: Service;
  /** Credits to reserve. */
  readonly credits: number;
}

/** A hold, and the account's available credits after it. Null if the store did not return them. */
export interface Reserved extends Hold {
  readonly available: number | null;
}

/**
 * Step 1 of the protocol: moves credits from `available` to a hold, in one conditional write.
 *
 * Succeeds only when the hold is known to be durable. Fails with `INSUFFICIENT_CREDITS`,
 * `API_KEY_INVALID` (the account is suspended, unverified or gone), `RATE_LIMITED` (too many open
 * holds, of the account or of the service, or a hold of another attempt or a rival) or
 * `UPSTREAM_ERROR` (the store did not answer; if the hold landed unseen, the sweep ends it).
 *
 * A refusal for a reason that has gone meanwhile is tried again until it is known, as long as a client
 * waits for a store that does not answer.
 */
export async function reserve(ledger: Ledger, wanted: Reservation): Promise<Result<Reserved>> {
  const endMs = ledger.now() + RESERVE_PATIENCE_MS;
  const nonces = new Set<string>();
  let unanswered = 0;
  for (let attempt = 0; ; attempt++) {
    // A fresh nonce for each attempt: if an attempt lands late, nothing must mistake it for a
    // released one.
    const nonce = ledger.nonce();
    nonces.add(nonce);
    const tried = await tryToReserve(ledger, { ...wanted, nonces }, nonce);
    if ("ok" in tried) return tried;
    unanswered += tried.again === "unanswered" ? 1 : 0;
    if (unanswered === RESERVE_ATTEMPTS || ledger.now() >= endMs) {
      return failed("UPSTREAM_ERROR", `reserve: ${tried.cause}`);
    }
    await backOff(ledger, attempt);
  }
}

/** Why another attempt may succeed: the store has not answered, or what refused it has gone. */
interface Again {
  readonly again: "unanswered" | "changed";
  readonly cause: string;
}

async function tryToReserve(
  ledger: Ledger,
  wanted: Asked,
  nonce: string,
): Promise<Result<Reserved> | Again> {
  const { account, requestId, credits, service } = wanted;
  const expiresMs = ledger.now() + ledger.holdLifeMs;
  const hold = { account, requestId, credits, service, nonce, expiresMs };
  const write = await ledger.dynamo.update(reserveUpdate(ledger, hold, wanted));
  if (write.outcome === "refused") return explainRefusal(ledger, wanted, write.item);
  if (write.outcome === "unknown") return { again: "unanswered", cause: write.cause };
  return success({ ...hold, available: availableIn(write.attributes) });
}

function reserveUpdate(
  ledger: Ledger,
  hold: Hold,
  { service, rivals = [] }: Reservation,
): ConditionalUpdate {
  return {
    ...accountAddress(ledger.accountsTable, hold.account),
    UpdateExpression:
      "SET available = available - :n, held = held + :n, holds.#request = :hold, sweep = :open, " +
      "#counter = if_not_exists(#counter, :zero) + :one",
    ConditionExpression:
      "#status = :active AND email_verified = :true AND available >= :n " +
      "AND attribute_not_exists(holds.#request) AND size(holds) < :max " +
      "AND (attribute_not_exists(#counter) OR #counter < :serviceMax)" +
      rivals.map((_, at) => ` AND attribute_not_exists(holds.#rival${at})`).join(""),
    ReturnValues: "UPDATED_NEW",
    ExpressionAttributeNames: {
      "#status": "status",
      "#request": hold.requestId,
      "#counter": counterOf(service),
      ...Object.fromEntries(rivals.map((rival, at) => [`#rival${at}`, rival])),
    },
    ExpressionAttributeValues: {
      ":n": { N: String(hold.credits) },
      ":hold": writeHold(hold),
      ":open": { S: "open" },
      ":active": { S: "active" },
      ":true": { BOOL: true },
      ":max": { N: String(OPEN_HOLDS_MAX) },
      ":serviceMax": { N: String(SERVICE_OPEN_HOLDS_MAX) },
      ":zero": { N: "0" },
      ":one": { N: "1" },
    },
  };
}

/** A reservation, and the nonces of all attempts to make it. */
interface Asked extends Reservation {
  readonly nonces: ReadonlySet<string>;
}

/**
 * Says why the condition failed. Returns `Again` if nothing in the account stops another attempt.
 */
async function explainRefusal(
  ledger: Ledger,
  wanted: Asked,
  item: Item | null,
): Promise<Result<Reserved> | Again> {
  if (item === null) return failed("API_KEY_INVALID", "the account does not exist");
  const account = openAccount(ledger, wanted.account, item);
  if (account === null) return failed("UPSTREAM_ERROR", "reserve: the account is malformed");
  const landed = account.holds.get(wanted.requestId);
  if (landed !== undefined && wanted.nonces.has(landed.nonce)) {
    return adopt(ledger, { ...wanted, ...landed }, account.available);
  }
  const state = accountState(account);
  if (state !== "active") return failed("API_KEY_INVALID", `the account is ${state}`);

  const nowMs = ledger.now();
  const ended = expiredHolds(account.holds, nowMs);
  const busy = [wanted.requestId, ...(wanted.rivals ?? [])].filter((id) => account.holds.has(id));
  if (busy.length > 0) return underWay(ledger, account, busy);
  const living = [...account.holds].filter(([requestId]) => !ended.has(requestId));
  const holds = living.map(([, hold]) => hold);
  const tooMany = crowded(wanted.service, holds, nowMs);
  if (tooMany !== null) return { ok: false, failure: tooMany };

  const expired = [...ended].map(([id, hold]) => holdOf(account, id, hold));
  const returning = sumOfCredits(expired);
  if (account.available + returning < wanted.credits) return insufficient(wanted, account);
  // What only waits for the sweep must cause neither a 402 nor a 429.
  await healAll(
    ledger,
    enough(mostUsefulFirst(expired, account, wanted), wanted.credits - account.available),
  );
  return { again: "changed", cause: "the account changed under every attempt" };
}

/** Takes over the hold of an earlier attempt of this request, unless it would expire too soon. */
function adopt(ledger: Ledger, landed: Hold, available: number): Result<Reserved> {
  const windowMs = ledger.holdLifeMs - HOLD_GRACE_MS;
  const isFresh = landed.expiresMs - ledger.now() >= windowMs + ADOPTION_GRACE_MS;
  return isFresh
    ? success({ ...landed, available })
    : failed("UPSTREAM_ERROR", "reserve: landed too long ago");
}

/**
 * Another request holds credits for the same thing. If its worker has died, its hold is ended here, so
 * that the next try finds its record.
 */
async function underWay(ledger: Ledger, account: Account, busy: readonly string[]) {
  const ended = [...expiredHolds(account.holds, ledger.now())].filter(([id]) => busy.includes(id));
  await healAll(
    ledger,
    ended.map(([id, hold]) => holdOf(account, id, hold)),
  );
  return failed("RATE_LIMITED", "another attempt is under way", {
    message: "A request with this Idempotency-Key is still under way. Retry when it has ended.",
    retryAfterSeconds: 1,
  });
}

function holdOf({ account }: Account, requestId: string, hold: OpenHold): Hold {
  return { ...hold, account, requestId };
}

/** The largest holds first; if the service may open no more, those of the service before the others. */
function mostUsefulFirst(
  expired: readonly Hold[],
  { counters }: Account,
  { service }: Reservation,
): Hold[] {
  const isFull = (counters.get(counterOf(service)) ?? 0) >= SERVICE_OPEN_HOLDS_MAX;
  const rank = (hold: Hold) => (isFull && hold.service === service ? 0 : 1);
  return expired.toSorted((a, b) => rank(a) - rank(b) || b.credits - a.credits);
}

/** The first holds: as many as return the missing credits, and at least one round of the sweep. */
function enough(expired: readonly Hold[], missing: number): Hold[] {
  let returning = 0;
  return expired.filter(({ credits }, at) => {
    const isNeeded = returning < missing || at < SWEEP_CONCURRENCY;
    returning += credits;
    return isNeeded;
  });
}

function insufficient(wanted: Reservation, account: Account) {
  const message =
    `The request would reserve ${wanted.credits} credits and ${account.available} are available. ` +
    "Add credits or lower max_results.";
  const { available } = account;
  return failed("INSUFFICIENT_CREDITS", "not enough available", { message, available });
}

function sumOfCredits(holds: Iterable<Hold>): number {
  let sum = 0;
  for (const hold of holds) sum += hold.credits;
  return sum;
}
