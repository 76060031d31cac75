import { eachAtOnce } from "../runtime/each-at-once.ts";
import { openAccount } from "./account.ts";
import { healAll } from "./heal.ts";
import { expiredHolds, type OpenHold } from "./items.ts";
import { accountAddress, type Hold, type Ledger } from "./ledger.ts";
import { SWEEP_CONCURRENCY, SWEEP_HOLDS_MAX, SWEEP_OVERDUE_MS } from "./limits.ts";
import { accountsInIndex, dueAccounts } from "./sweep-index.ts";

/** Result of one run of the sweep. */
export interface Swept {
  /** Accounts that were read. */
  readonly accounts: number;
  /** Expired holds that are gone now. */
  readonly healed: number;
  /** Expired holds that could not be ended, and accounts that could not be read, this time. */
  readonly left: number;
}

/**
 * Returns the credits of holds whose request never settled: finds accounts with open holds by the
 * sparse index, reads each consistently, heals what has expired and takes accounts without a hold
 * out of the index.
 *
 * A run looks at a bounded share of the accounts and ends a bounded number of holds, oldest first.
 * Which share it is follows from the time alone (`dueAccounts`), so that nothing needs to be kept between
 * runs. One account or record that cannot be read stops nothing but itself.
 * @throws Error when the index cannot be read; the next run tries again.
 */
export async function sweep(ledger: Ledger): Promise<Swept> {
  const names = dueAccounts(await accountsInIndex(ledger), ledger.now());
  const expired: Hold[] = [];
  const idle: string[] = [];
  let left = 0;
  await eachAtOnce(SWEEP_CONCURRENCY, names, async (name) => {
    const holds = await holdsOf(ledger, name);
    if (holds === null) left++;
    else if (holds.size === 0) idle.push(name);
    else expired.push(...holdsToEnd(ledger, name, holds));
  });
  const oldest = expired.toSorted((a, b) => a.expiresMs - b.expiresMs).slice(0, SWEEP_HOLDS_MAX);
  const healed = await healAll(ledger, oldest);
  await eachAtOnce(SWEEP_CONCURRENCY, idle, (name) => leaveIndex(ledger, name));
  return { accounts: names.length, healed, left: left + expired.length - healed };
}

/**
 * The open holds at this moment, because the index may be stale. Null if the account cannot be
 * read.
 */
async function holdsOf(ledger: Ledger, name: string): Promise<Map<string, OpenHold> | null> {
  const found = await ledger.dynamo.read(accountAddress(ledger.accountsTable, name));
  if (found.outcome === "unknown" || found.item === null) return null;
  return openAccount(ledger, name, found.item)?.holds ?? null;
}

/** The expired holds. Raises an alarm for a hold that three sweeps have missed. */
function holdsToEnd(ledger: Ledger, account: string, holds: ReadonlyMap<string, OpenHold>): Hold[] {
  const nowMs = ledger.now();
  const expired = expiredHolds(holds, nowMs);
  return [...expired].map(([requestId, hold]) => {
    const lateMs = nowMs - hold.expiresMs;
    if (lateMs > SWEEP_OVERDUE_MS) {
      const late = { late_ms: lateMs, account, request_id: requestId };
      ledger.log({ event: "hold_overdue", alarm: true, ...late });
    }
    return { ...hold, account, requestId };
  });
}

/** Takes an account out of the index, unless it has opened a hold meanwhile. */
async function leaveIndex(ledger: Ledger, account: string): Promise<void> {
  await ledger.dynamo.update({
    ...accountAddress(ledger.accountsTable, account),
    UpdateExpression: "REMOVE sweep",
    ConditionExpression: "size(holds) = :none",
    ExpressionAttributeValues: { ":none": { N: "0" } },
  });
}
