import type { Service } from "../contract/schemas.ts";
import type { ConditionalUpdate, Item } from "../store/dynamodb.ts";
import {
  counterOf,
  type Idempotency,
  ledgerKey,
  type Recorded,
  readRecord,
  type Usage,
  type UsageOutcome,
  writeUsage,
} from "./items.ts";
import { accountAddress, backOff, type Hold, type Ledger } from "./ledger.ts";
import { RELEASE_ATTEMPTS } from "./limits.ts";
import { passedBy } from "./low-balance.ts";

/** How the request that holds the credits ended. */
export interface Settlement {
  readonly keyId: string;
  readonly service: Service;
  readonly outcome: UsageOutcome;
  /** Returned items; 0 refunds the whole hold. */
  readonly itemCount: number;
  /** Credits per returned item. */
  readonly multiplier: number;
  readonly idempotency?: Idempotency | undefined;
}

/** What the ledger says about a hold. */
export interface Decision {
  readonly charge: number;
  /** The record of another attempt with the same request id, which was first. */
  readonly other: Recorded | null;
}

/**
 * Step 2 of the protocol, for settlements and refunds: one usage record that names the hold's
 * nonce.
 *
 * The first to write the record decides, this function or the sweep; the other reads it and follows
 * it. Repeats until the hold expires. Returns what the ledger holds: tell the client nothing else.
 * @returns null if no record could be written or read
 */
export async function settle(
  ledger: Ledger,
  hold: Hold,
  settlement: Settlement,
): Promise<Decision | null> {
  const charge = settlement.itemCount * settlement.multiplier;
  if (charge > hold.credits) throw new Error("a charge above what is reserved");
  const usage: Usage = {
    ...settlement,
    account: hold.account,
    requestId: hold.requestId,
    reserved: hold.credits,
    charge,
    nonce: hold.nonce,
    settledBy: "request",
    settledAtMs: ledger.now(),
  };
  for (let attempt = 0; ; attempt++) {
    const decided = await commit(ledger, usage);
    if (decided !== null) return decided;
    if (ledger.now() >= hold.expiresMs) return null;
    await backOff(ledger, attempt);
  }
}

/** One attempt to write a usage record, or to read what an earlier record decided for this hold. */
export async function commit(ledger: Ledger, usage: Usage): Promise<Decision | null> {
  const write = await ledger.dynamo.put({
    TableName: ledger.ledgerTable,
    Key: ledgerKey(usage.account, usage.requestId),
    Item: await ledger.authenticate(writeUsage(usage)),
    ConditionExpression: "attribute_not_exists(record_id)",
  });
  if (write.outcome === "written") return { charge: usage.charge, other: null };
  // Refused, although the item is gone. Records are never deleted, so the read was stale.
  if (write.outcome === "unknown" || write.item === null) return null;
  const record = readRecord(write.item);
  const isOwn = record.nonce === usage.nonce;
  return isOwn ? { charge: record.charge, other: null } : { charge: 0, other: record };
}

/**
 * Step 3 of the protocol: ends the hold and returns what was not charged. Safe to repeat. Safe to
 * skip: the sweep then does it from the ledger's record.
 * @returns whether the hold is known to be gone.
 */
export async function release(
  ledger: Ledger,
  hold: Hold,
  charge: number,
  attempts = RELEASE_ATTEMPTS,
): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (attempt > 0) await backOff(ledger, attempt - 1);
    const write = await ledger.dynamo.update(releaseUpdate(ledger, hold, charge));
    if (write.outcome === "written")
      sayIfLow(ledger, { hold, charge, attributes: write.attributes });
    if (write.outcome !== "unknown") return true;
  }
  return false;
}

/** Once each time; not at all if the answer of the release was lost. */
function sayIfLow(
  ledger: Ledger,
  { hold, charge, attributes }: { hold: Hold; charge: number; attributes: Item },
): void {
  const low = charge === 0 ? null : passedBy(charge, attributes);
  if (low !== null) ledger.log({ event: "low_balance", account: hold.account, ...low });
}

function releaseUpdate(ledger: Ledger, hold: Hold, charge: number): ConditionalUpdate {
  const counted = uncount(hold);
  return {
    ...accountAddress(ledger.accountsTable, hold.account),
    UpdateExpression:
      "SET available = available + :returned, held = held - :n, charged = charged + :charge" +
      // Set to itself, so that the answer has it.
      ", low_balance = if_not_exists(low_balance, :none)" +
      `${counted.action} REMOVE holds.#request`,
    ReturnValues: "UPDATED_NEW",
    // The nonce is needed: an attempt after the release may have made a new hold of the same
    // request.
    ConditionExpression: "holds.#request.nonce = :nonce AND holds.#request.n = :n",
    ExpressionAttributeNames: { "#request": hold.requestId, ...counted.names },
    ExpressionAttributeValues: {
      ":n": { N: String(hold.credits) },
      ":charge": { N: String(charge) },
      ":returned": { N: String(hold.credits - charge) },
      ":nonce": { S: hold.nonce },
      ":none": { N: "0" },
      ...counted.values,
    },
  };
}

/** Takes a hold off its service's counter. A counter that somebody removed stops no release. */
function uncount({ service }: Hold) {
  if (service === null) return { action: "" };
  return {
    action: ", #counter = if_not_exists(#counter, :one) - :one",
    names: { "#counter": counterOf(service) },
    values: { ":one": { N: "1" } },
  };
}
