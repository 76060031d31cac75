import type { ConditionalUpdate, Item } from "../dynamodb.ts";
import { failed, type Result, success } from "../result.ts";
import { type Account, expiredHolds, type OpenHold, readAccount, writeHold } from "./items.ts";
import { accountAddress, backOff, type Hold, type Ledger } from "./ledger.ts";
import { OPEN_HOLDS_MAX, RESERVE_ATTEMPTS } from "./limits.ts";
import { healAll } from "./sweep.ts";

export interface Reservation {
  readonly account: string;
  readonly requestId: string;
  /** How much to reserve, in credits. */
  readonly credits: number;
}

/**
 * Step 1 of the protocol: moves credits from `available` to a hold, in one conditional write.
 *
 * Succeeds only when the hold is known to be durable. Fails with `INSUFFICIENT_CREDITS`,
 * `API_KEY_INVALID` (the account is suspended, unverified or gone), `RATE_LIMITED` (too many open
 * holds) or `UPSTREAM_ERROR` (the store did not answer; a hold that landed unseen is swept).
 */
export async function reserve(ledger: Ledger, wanted: Reservation): Promise<Result<Hold>> {
  let cause = "";
  for (let attempt = 0; attempt < RESERVE_ATTEMPTS; attempt++) {
    // A fresh nonce each time: an attempt that lands late must not pass for one that was released.
    const nonce = ledger.nonce();
    const hold: Hold = { ...wanted, nonce, expiresMs: ledger.now() + ledger.holdLifeMs };
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

function reserveUpdate(ledger: Ledger, hold: Hold): ConditionalUpdate {
  return {
    ...accountAddress(ledger, hold.account),
    UpdateExpression:
      "SET available = available - :n, held = held + :n, holds.#request = :hold, sweep = :open",
    ConditionExpression:
      "#status = :active AND email_verified = :true AND available >= :n " +
      "AND attribute_not_exists(holds.#request) AND size(holds) < :max",
    ExpressionAttributeNames: { "#status": "status", "#request": hold.requestId },
    ExpressionAttributeValues: {
      ":n": { N: String(hold.credits) },
      ":hold": writeHold(hold),
      ":open": { S: "open" },
      ":active": { S: "active" },
      ":true": { BOOL: true },
      ":max": { N: String(OPEN_HOLDS_MAX) },
    },
  };
}

/** Says why the condition failed; `again` when nothing in the account's way is left. */
async function explainRefusal(
  ledger: Ledger,
  wanted: Reservation,
  item: Item | null,
): Promise<Result<Hold> | "again"> {
  if (item === null) return failed("API_KEY_INVALID", "the account does not exist");
  const account = readAccount(item);
  const landed = account.holds.get(wanted.requestId);
  if (landed !== undefined) return success({ ...wanted, ...landed });
  if (account.status !== "active") return failed("API_KEY_INVALID", "the account is not active");
  if (!account.email_verified) return failed("API_KEY_INVALID", "the email is not verified");

  const expired = expiredHolds(account, ledger.now());
  const returning = sumOfCredits(expired.values());
  const crowded = account.holds.size - expired.size >= OPEN_HOLDS_MAX;
  if (crowded) return failed("RATE_LIMITED", "too many open holds", { retryAfterSeconds: 1 });
  if (account.available + returning < wanted.credits) return insufficient(wanted, account);
  // Credits that only wait to be returned must not cost anybody a 402.
  await healAll(ledger, wanted.account, expired);
  return "again";
}

function insufficient(wanted: Reservation, account: Account) {
  const message =
    `The request would reserve ${wanted.credits} credits and ${account.available} are available. ` +
    "Add credits or lower max_results.";
  return failed("INSUFFICIENT_CREDITS", "not enough available", { message });
}

function sumOfCredits(holds: Iterable<OpenHold>): number {
  let sum = 0;
  for (const hold of holds) sum += hold.credits;
  return sum;
}
