import { failed, type Result, success } from "../contract/result.ts";
import type { Service } from "../contract/schemas.ts";
import type { ConditionalUpdate, Item } from "../store/dynamodb.ts";
import { openAccount } from "./account.ts";
import { crowded } from "./crowded.ts";
import { healAll } from "./heal.ts";
import { type Account, accountState, counterOf, expiredHolds, writeHold } from "./items.ts";
import { accountAddress, backOff, type Hold, type Ledger } from "./ledger.ts";
import {
  ADOPTION_GRACE_MS,
  HOLD_GRACE_MS,
  OPEN_HOLDS_MAX,
  RESERVE_ATTEMPTS,
  SERVICE_OPEN_HOLDS_MAX,
  SWEEP_CONCURRENCY,
} from "./limits.ts";

export interface Reservation {
  readonly account: string;
  readonly requestId: string;
  readonly service: Service;
  /** Credits to reserve. */
  readonly credits: number;
}

/**
 * Step 1 of the protocol: moves credits from `available` to a hold, in one conditional write.
 *
 * Succeeds only when the hold is known to be durable. Fails with `INSUFFICIENT_CREDITS`,
 * `API_KEY_INVALID` (the account is suspended, unverified or gone), `RATE_LIMITED` (too many open
 * holds, of the account or of the service) or `UPSTREAM_ERROR` (the store did not answer; if the hold
 * landed unseen, the sweep ends it).
 */
export async function reserve(ledger: Ledger, wanted: Reservation): Promise<Result<Hold>> {
  let cause = "";
  for (let attempt = 0; attempt < RESERVE_ATTEMPTS; attempt++) {
    // A fresh nonce for each attempt: if an attempt lands late, nothing must mistake it for a
    // released one.
    const nonce = ledger.nonce();
    const hold = { ...wanted, nonce, expiresMs: ledger.now() + ledger.holdLifeMs };
    const write = await ledger.dynamo.update(reserveUpdate(ledger, hold));
    if (write.outcome === "written") return success(hold);
    if (write.outcome === "refused") {
      const answer = await explainRefusal(ledger, wanted, write.item);
      if (answer !== "again") return answer;
      cause = "the account changed under every attempt";
    } else {
      cause = write.cause;
      await backOff(ledger, attempt);
    }
  }
  return failed("UPSTREAM_ERROR", `reserve: ${cause}`);
}

function reserveUpdate(ledger: Ledger, hold: Hold & Reservation): ConditionalUpdate {
  return {
    ...accountAddress(ledger.accountsTable, hold.account),
    UpdateExpression:
      "SET available = available - :n, held = held + :n, holds.#request = :hold, sweep = :open, " +
      "#counter = if_not_exists(#counter, :zero) + :one",
    ConditionExpression:
      "#status = :active AND email_verified = :true AND available >= :n " +
      "AND attribute_not_exists(holds.#request) AND size(holds) < :max " +
      "AND (attribute_not_exists(#counter) OR #counter < :serviceMax)",
    ExpressionAttributeNames: {
      "#status": "status",
      "#request": hold.requestId,
      "#counter": counterOf(hold.service),
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

/**
 * Says why the condition failed. Returns `again` if nothing in the account stops another attempt.
 */
async function explainRefusal(
  ledger: Ledger,
  wanted: Reservation,
  item: Item | null,
): Promise<Result<Hold> | "again"> {
  if (item === null) return failed("API_KEY_INVALID", "the account does not exist");
  const account = openAccount(ledger, wanted.account, item);
  if (account === null) return failed("UPSTREAM_ERROR", "reserve: the account is malformed");
  const landed = account.holds.get(wanted.requestId);
  if (landed !== undefined) return adopt(ledger, { ...wanted, ...landed });
  const state = accountState(account);
  if (state !== "active") return failed("API_KEY_INVALID", `the account is ${state}`);

  const nowMs = ledger.now();
  const ended = expiredHolds(account.holds, nowMs);
  const living = [...account.holds].filter(([requestId]) => !ended.has(requestId));
  const holds = living.map(([, hold]) => hold);
  const tooMany = crowded(wanted.service, holds, nowMs);
  if (tooMany !== null) return { ok: false, failure: tooMany };

  const expired = [...ended].map(
    ([requestId, hold]): Hold => ({ ...hold, account: wanted.account, requestId }),
  );
  const returning = sumOfCredits(expired);
  if (account.available + returning < wanted.credits) return insufficient(wanted, account);
  // What only waits for the sweep must cause neither a 402 nor a 429.
  await healAll(
    ledger,
    enough(mostUsefulFirst(expired, account, wanted), wanted.credits - account.available),
  );
  return "again";
}

/** Takes over an earlier attempt's hold, unless it would expire too soon. */
function adopt(ledger: Ledger, landed: Hold): Result<Hold> {
  const windowMs = ledger.holdLifeMs - HOLD_GRACE_MS;
  const isFresh = landed.expiresMs - ledger.now() >= windowMs + ADOPTION_GRACE_MS;
  return isFresh ? success(landed) : failed("UPSTREAM_ERROR", "reserve: landed too long ago");
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
  return failed("INSUFFICIENT_CREDITS", "not enough available", { message });
}

function sumOfCredits(holds: Iterable<Hold>): number {
  let sum = 0;
  for (const hold of holds) sum += hold.credits;
  return sum;
}
