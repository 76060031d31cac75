import { expiredHolds, type OpenHold, readAccount } from "./items.ts";
import { accountAddress, type Hold, type Ledger } from "./ledger.ts";
import { SWEEP_CONCURRENCY, SWEEP_HOLDS_MAX, SWEEP_OVERDUE_MS } from "./limits.ts";
import { commit, release } from "./settle.ts";
import { accountsInIndex, dueAccounts } from "./sweep-index.ts";

/** What one run of the sweep did. */
export interface Swept {
  /** Accounts looked at. */
  readonly accounts: number;
  /** Expired holds that are gone now. */
  readonly healed: number;
  /** Expired holds that could not be returned this time, and accounts that could not be read. */
  readonly left: number;
}

/**
 * Returns the credits of holds whose request never settled: finds accounts with open holds by the
 * sparse index, reads each consistently, heals what has expired and takes accounts without a hold
 * out of the index.
 *
 * A run looks at a bounded share of the accounts and ends a bounded number of holds, oldest first.
 * Which share it is follows from the time alone (`isDue`), so that nothing needs to be kept between
 * runs. One account or record that cannot be read stops nothing but itself.
 * @throws Error when the index cannot be read; the next run tries again.
 */
export async function sweep(ledger: Ledger): Promise<Swept> {
  const names = dueAccounts(await accountsInIndex(ledger), ledger.now());
  const expired: Hold[] = [];
  const idle: string[] = [];
  let left = 0;
  await eachAtOnce(names, async (name) => {
    const holds = await holdsOf(ledger, name);
    if (holds === null) left++;
    else if (holds.size === 0) idle.push(name);
    else expired.push(...holdsToEnd(ledger, name, holds));
  });
  const oldest = expired.toSorted((a, b) => a.expiresMs - b.expiresMs).slice(0, SWEEP_HOLDS_MAX);
  const healed = await healAll(ledger, oldest);
  await eachAtOnce(idle, (name) => leaveIndex(ledger, name));
  return { accounts: names.length, healed, left: left + expired.length - healed };
}

/** The open holds as they are now: the index may lag behind the account. Null when unreadable. */
async function holdsOf(ledger: Ledger, name: string): Promise<Map<string, OpenHold> | null> {
  const found = await ledger.dynamo.read(accountAddress(ledger, name));
  if (found.outcome === "unknown" || found.item === null) return null;
  try {
    return readAccount(found.item).holds;
  } catch (error) {
    ledger.log({ event: "account_malformed", alarm: true, account: name, cause: String(error) });
    return null;
  }
}

/** Those that have expired; one that the sweep should have met three times already is an alarm. */
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

/** Takes an account out of the index, unless a hold was opened meanwhile. */
async function leaveIndex(ledger: Ledger, account: string): Promise<void> {
  await ledger.dynamo.update({
    ...accountAddress(ledger, account),
    UpdateExpression: "REMOVE sweep",
    ConditionExpression: "size(holds) = :none",
    ExpressionAttributeValues: { ":none": { N: "0" } },
  });
}

/** Ends expired holds, a few at once. @returns how many are known to be gone. */
export async function healAll(ledger: Ledger, expired: readonly Hold[]): Promise<number> {
  let healed = 0;
  await eachAtOnce(expired, async (hold) => {
    if (await heal(ledger, hold)) healed++;
  });
  return healed;
}

/**
 * Ends one expired hold: with charge 0 unless the ledger has a record that names this very hold,
 * whose charge then stands.
 */
async function heal(ledger: Ledger, hold: Hold): Promise<boolean> {
  const { account, requestId } = hold;
  const line = { event: "hold_swept", request_id: requestId, account };
  try {
    const decided = await commit(ledger, abandoned(ledger, hold));
    if (decided === null) return false;
    const gone = await release(ledger, hold, decided.charge);
    ledger.log({ ...line, gone, ...decided });
    return gone;
  } catch (error) {
    ledger.log({ ...line, alarm: true, gone: false, cause: String(error) });
    return false;
  }
}

function abandoned(ledger: Ledger, hold: Hold) {
  return {
    account: hold.account,
    requestId: hold.requestId,
    keyId: null,
    service: null,
    outcome: "ABANDONED",
    reserved: hold.credits,
    itemCount: 0,
    multiplier: null,
    charge: 0,
    nonce: hold.nonce,
    settledBy: "sweep",
    settledAtMs: ledger.now(),
  } as const;
}

/** Runs `work` over all entries, a few at once. */
async function eachAtOnce<T>(entries: readonly T[], work: (entry: T) => Promise<void>) {
  const queue = entries.values();
  const worker = async () => {
    for (const entry of queue) await work(entry);
  };
  await Promise.all(Array.from({ length: SWEEP_CONCURRENCY }, worker));
}
