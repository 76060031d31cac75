import type { Item } from "../dynamodb.ts";
import { expiredHolds, type OpenHold, readAccount } from "./items.ts";
import { accountAddress, type Hold, type Ledger } from "./ledger.ts";
import { SWEEP_ACCOUNTS_MAX, SWEEP_CONCURRENCY } from "./limits.ts";
import { commit, release } from "./settle.ts";

/** What one run of the sweep did. */
export interface Swept {
  /** Accounts looked at. */
  readonly accounts: number;
  /** Expired holds that are gone now. */
  readonly healed: number;
  /** Expired holds that could not be returned this time. */
  readonly left: number;
}

/**
 * Returns the credits of holds whose request never settled: finds accounts with open holds by the
 * sparse index, reads each consistently, heals what has expired and takes accounts without a hold
 * out of the index.
 * @throws Error when the index cannot be read; the next run tries again.
 */
export async function sweep(ledger: Ledger): Promise<Swept> {
  const names = await accountsInIndex(ledger);
  const swept = { accounts: names.length, healed: 0, left: 0 };
  await eachAtOnce(names, async (name) => {
    const { healed, left } = await sweepAccount(ledger, name);
    swept.healed += healed;
    swept.left += left;
  });
  return swept;
}

async function accountsInIndex(ledger: Ledger): Promise<string[]> {
  const page = await ledger.dynamo.query({
    TableName: ledger.accountsTable,
    IndexName: "sweep",
    KeyConditionExpression: "sweep = :open",
    ExpressionAttributeValues: { ":open": { S: "open" } },
    Limit: SWEEP_ACCOUNTS_MAX,
  });
  if (page.outcome === "unknown") throw new Error(`sweep: ${page.cause}`);
  return page.items.flatMap((item) => item["account"]?.S ?? []);
}

async function sweepAccount(ledger: Ledger, name: string): Promise<Omit<Swept, "accounts">> {
  // The index may lag behind the account: only a consistent read says what has expired.
  const found = await ledger.dynamo.read(accountAddress(ledger, name));
  if (found.outcome === "unknown" || found.item === null) return { healed: 0, left: 0 };
  const account = readAccount(found.item);
  const expired = expiredHolds(account, ledger.now());
  const healed = await healAll(ledger, name, expired);
  if (account.holds.size === healed) await leaveIndex(ledger, name);
  return { healed, left: expired.size - healed };
}

/** Takes an account out of the index, unless a hold was opened meanwhile. */
async function leaveIndex(ledger: Ledger, account: string): Promise<void> {
  const none: Item = { ":none": { N: "0" } };
  await ledger.dynamo.update({
    ...accountAddress(ledger, account),
    UpdateExpression: "REMOVE sweep",
    ConditionExpression: "size(holds) = :none",
    ExpressionAttributeValues: none,
  });
}

/** Ends expired holds of one account. @returns how many are known to be gone. */
export async function healAll(
  ledger: Ledger,
  account: string,
  expired: ReadonlyMap<string, OpenHold>,
): Promise<number> {
  let healed = 0;
  await eachAtOnce([...expired], async ([requestId, hold]) => {
    if (await heal(ledger, { ...hold, account, requestId })) healed++;
  });
  return healed;
}

/**
 * Ends one expired hold: with charge 0 unless the ledger has a record that names this very hold,
 * whose charge then stands.
 */
async function heal(ledger: Ledger, hold: Hold): Promise<boolean> {
  const decided = await commit(ledger, {
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
  });
  if (decided === null) return false;
  const gone = await release(ledger, hold, decided.charge);
  const { account, requestId } = hold;
  ledger.log({ event: "hold_swept", request_id: requestId, account, gone, ...decided });
  return gone;
}

/** Runs `work` over all entries, a few at once. */
async function eachAtOnce<T>(entries: readonly T[], work: (entry: T) => Promise<void>) {
  const queue = entries.values();
  const worker = async () => {
    for (const entry of queue) await work(entry);
  };
  await Promise.all(Array.from({ length: SWEEP_CONCURRENCY }, worker));
}
