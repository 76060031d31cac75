import * as z from "zod";
import type { ConditionalUpdate, Item } from "../../src/dynamodb.ts";
import { type Answer, answer, problem, unreachable } from "./answer.ts";
import type { Tables } from "./tables.ts";

/** What a movement works with. */
type Books = Pick<Tables, "accounts" | "ledger" | "dynamo">;

/** A movement of credits that is no usage: counts exactly once under its reference. */
export interface TopUp {
  readonly account: string;
  readonly kind: "grant" | "purchase" | "adjustment";
  /** Whole credits, not 0; below 0 only in an adjustment that takes away. */
  readonly credits: number;
  /** The operator's own, such as an invoice number; unique per account and kind. */
  readonly reference: string;
  /** Why; for adjustments. */
  readonly reason?: string;
}

/**
 * Moves credits in three single-item writes, the mirror of the reservation protocol: announce the
 * movement on the account with a nonce, write the ledger record that names the nonce, then conclude:
 * take the announcement away and credit the account. What an adjustment takes away is taken with the
 * announcement, where `available` can still refuse it.
 *
 * Safe to repeat and to abandon anywhere: the record decides, and only the announcement whose nonce
 * it names ever counts. A late copy of the first write finds another nonce in the record.
 * @returns whether this call, and not an earlier one, made the movement count.
 */
export async function topUp(tables: Books, wanted: TopUp): Promise<Answer<{ counted: boolean }>> {
  const recorded = await readRecord(tables, wanted);
  if (!recorded.ok) return recorded;
  if (recorded.value !== null && recorded.value.credits !== wanted.credits) {
    return problem(
      `The ${wanted.kind} ${wanted.reference} is in the ledger with ${recorded.value.credits} ` +
        "credits. Use another reference for another movement.",
    );
  }
  const announced = await announce(tables, wanted, recorded.value);
  if (!announced.ok) return announced;
  if (announced.value === null) return answer({ counted: false });
  const decided = await record(tables, wanted, announced.value);
  if (!decided.ok) return decided;
  const counts = decided.value.nonce === announced.value;
  const concluded = await conclude(tables, wanted, { nonce: announced.value, counts });
  return concluded.ok ? answer({ counted: counts }) : concluded;
}

/** The name of a movement, on the account while it is announced and in the ledger for good. */
export function topUpId({ kind, reference }: Pick<TopUp, "kind" | "reference">): string {
  return `${kind}:${reference}`;
}

/** An announced movement as it stands in the account's `pending` map. */
export function pendingTopUp(credits: number, nonce: string): Item[string] {
  return { M: { n: { N: String(credits) }, nonce: { S: nonce } } };
}

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const integer = z.object({ N: z.string() }).transform(({ N }) => Number(N));

const recordSchema = z.object({ credits: integer, nonce: text });
type TopUpRecord = z.infer<typeof recordSchema>;

const pendingSchema = z.object({
  pending: z.object({
    M: z.record(z.string(), z.object({ M: z.object({ n: integer, nonce: text }) })),
  }),
});

function recordAddress(tables: Books, wanted: TopUp) {
  const Key = {
    account_period: { S: `${wanted.account}#credits` },
    record_id: { S: topUpId(wanted) },
  };
  return { TableName: tables.ledger, Key };
}

async function readRecord(tables: Books, wanted: TopUp): Promise<Answer<TopUpRecord | null>> {
  const found = await tables.dynamo.read(recordAddress(tables, wanted));
  if (found.outcome === "unknown") return unreachable(found.cause);
  return answer(found.item === null ? null : recordSchema.parse(found.item));
}

/**
 * @returns the nonce under which the movement stands on the account, announced now or earlier; null
 *   when it is in the ledger and nothing of it is left to do.
 */
async function announce(
  tables: Books,
  wanted: TopUp,
  recorded: TopUpRecord | null,
): Promise<Answer<string | null>> {
  if (recorded !== null) return standing(tables, wanted);
  const nonce = crypto.randomUUID();
  const write = await tables.dynamo.update(announceUpdate(tables, wanted, nonce));
  if (write.outcome === "written") return answer(nonce);
  if (write.outcome === "unknown") return unreachable(write.cause);
  return explain(wanted, write.item);
}

/** The announcement of a movement whose record exists: left by a call that did not end. */
async function standing(tables: Books, wanted: TopUp): Promise<Answer<string | null>> {
  const found = await tables.dynamo.read(accountAddress(tables, wanted.account));
  if (found.outcome === "unknown") return unreachable(found.cause);
  const earlier = found.item === null ? undefined : announcement(found.item, wanted);
  return answer(earlier?.nonce ?? null);
}

function announceUpdate(tables: Books, wanted: TopUp, nonce: string): ConditionalUpdate {
  const unannounced = "attribute_exists(account) AND attribute_not_exists(pending.#id)";
  const takes = wanted.credits < 0;
  return {
    ...accountAddress(tables, wanted.account),
    UpdateExpression: takes
      ? "SET pending.#id = :announced, available = available - :n, granted = granted - :n"
      : "SET pending.#id = :announced",
    ConditionExpression: takes ? `${unannounced} AND available >= :n` : unannounced,
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: {
      ":announced": pendingTopUp(wanted.credits, nonce),
      ...(takes && { ":n": { N: String(-wanted.credits) } }),
    },
  };
}

/** Says why an announcement was refused, or goes on with the one that stands. */
function explain(wanted: TopUp, item: Item | null): Answer<string> {
  if (item === null) return problem(`There is no account ${wanted.account}.`);
  const earlier = announcement(item, wanted);
  if (earlier === undefined) {
    return problem(
      `The account has ${item["available"]?.N} credits available; ${-wanted.credits} cannot be taken.`,
    );
  }
  if (earlier.n === wanted.credits) return answer(earlier.nonce);
  return problem(
    `An unfinished ${wanted.kind} ${wanted.reference} of ${earlier.n} credits stands on the ` +
      "account. Repeat it with that number first.",
  );
}

function announcement(item: Item, wanted: TopUp) {
  return pendingSchema.parse(item).pending.M[topUpId(wanted)]?.M;
}

/** @returns what the ledger holds under the reference, written now or earlier. */
async function record(tables: Books, wanted: TopUp, nonce: string): Promise<Answer<TopUpRecord>> {
  const address = recordAddress(tables, wanted);
  const write = await tables.dynamo.put({
    ...address,
    Item: {
      ...address.Key,
      kind: { S: wanted.kind },
      account: { S: wanted.account },
      reference: { S: wanted.reference },
      credits: { N: String(wanted.credits) },
      ...(wanted.reason !== undefined && { reason: { S: wanted.reason } }),
      nonce: { S: nonce },
      created_at: { S: new Date().toISOString() },
    },
    ConditionExpression: "attribute_not_exists(record_id)",
  });
  if (write.outcome === "written") return answer({ credits: wanted.credits, nonce });
  if (write.outcome === "unknown") return unreachable(write.cause);
  return answer(recordSchema.parse(write.item));
}

/** Ends the announcement. One that does not count gives back what it had taken. */
async function conclude(
  tables: Books,
  wanted: TopUp,
  { nonce, counts }: { nonce: string; counts: boolean },
): Promise<Answer<void>> {
  const adds = counts ? Math.max(wanted.credits, 0) : Math.max(-wanted.credits, 0);
  const write = await tables.dynamo.update({
    ...accountAddress(tables, wanted.account),
    UpdateExpression: "SET available = available + :n, granted = granted + :n REMOVE pending.#id",
    ConditionExpression: "pending.#id.nonce = :nonce",
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: { ":n": { N: String(adds) }, ":nonce": { S: nonce } },
  });
  // Refused: an earlier copy of this very write has concluded.
  return write.outcome === "unknown" ? unreachable(write.cause) : answer(undefined);
}

function accountAddress(tables: Books, account: string) {
  return { TableName: tables.accounts, Key: { account: { S: account } } };
}
