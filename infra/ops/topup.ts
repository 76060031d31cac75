import * as z from "zod";
import type { Item, Write } from "../../src/dynamodb.ts";
import { type Answer, answer, problem, unreachable } from "./answer.ts";
import type { Tables } from "./tables.ts";

/** A movement of credits that is no usage: counts exactly once under its reference. */
export interface TopUp {
  readonly account: string;
  readonly kind: "grant" | "purchase";
  /** Whole credits, above 0. */
  readonly credits: number;
  /** The operator's own, such as an invoice number; unique per account and kind. */
  readonly reference: string;
}

/**
 * Adds credits in three single-item writes, the mirror of the reservation protocol: announce the
 * movement on the account with a nonce, write the ledger record that names the nonce, then credit
 * the account and take the announcement away.
 *
 * Safe to repeat and to abandon anywhere: the record decides, and only the announcement whose nonce
 * it names is ever credited. A late copy of the first write finds another nonce in the record.
 */
export async function topUp(tables: Tables, wanted: TopUp): Promise<Answer<{ counted: boolean }>> {
  const recorded = await readRecord(tables, wanted);
  if (!recorded.ok) return recorded;
  if (recorded.value !== null && recorded.value.credits !== wanted.credits) {
    return problem(
      `The ${wanted.kind} ${wanted.reference} is in the ledger with ${recorded.value.credits} ` +
        "credits. Use another reference for another movement.",
    );
  }
  const announced = await announce(tables, wanted);
  if (!announced.ok) return announced;
  const decided = await record(tables, wanted, announced.value);
  if (!decided.ok) return decided;
  if (decided.value.nonce !== announced.value) {
    const dropped = await conclude(tables, { ...wanted, credits: 0 }, announced.value);
    return dropped.ok ? answer({ counted: false }) : dropped;
  }
  const concluded = await conclude(tables, wanted, announced.value);
  return concluded.ok ? answer({ counted: true }) : concluded;
}

/** The name of a movement, on the account while it is announced and in the ledger for good. */
export function topUpId({ kind, reference }: Pick<TopUp, "kind" | "reference">): string {
  return `${kind}:${reference}`;
}

/** An announced movement as it stands in the account's `pending` map. */
export function pendingTopUp(credits: number, nonce: string): Item[string] {
  return { M: { n: { N: String(credits) }, nonce: { S: nonce } } };
}

const recordSchema = z.object({
  credits: z.object({ N: z.string() }).transform(({ N }) => Number(N)),
  nonce: z.object({ S: z.string() }).transform(({ S }) => S),
});
type TopUpRecord = z.infer<typeof recordSchema>;

function recordAddress(tables: Tables, wanted: TopUp) {
  const Key = {
    account_period: { S: `${wanted.account}#credits` },
    record_id: { S: topUpId(wanted) },
  };
  return { TableName: tables.ledger, Key };
}

async function readRecord(tables: Tables, wanted: TopUp): Promise<Answer<TopUpRecord | null>> {
  const found = await tables.dynamo.read(recordAddress(tables, wanted));
  if (found.outcome === "unknown") return unreachable(found.cause);
  return answer(found.item === null ? null : recordSchema.parse(found.item));
}

const pendingSchema = z.object({
  pending: z.object({
    M: z.record(
      z.string(),
      z.object({
        M: z.object({ n: z.object({ N: z.string() }), nonce: z.object({ S: z.string() }) }),
      }),
    ),
  }),
});

/** @returns the nonce under which the movement stands on the account. */
async function announce(tables: Tables, wanted: TopUp): Promise<Answer<string>> {
  const nonce = crypto.randomUUID();
  const write = await tables.dynamo.update({
    TableName: tables.accounts,
    Key: { account: { S: wanted.account } },
    UpdateExpression: "SET pending.#id = :announced",
    ConditionExpression: "attribute_exists(account) AND attribute_not_exists(pending.#id)",
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: { ":announced": pendingTopUp(wanted.credits, nonce) },
  });
  if (write.outcome === "written") return answer(nonce);
  if (write.outcome === "unknown") return unreachable(write.cause);
  if (write.item === null) return problem(`There is no account ${wanted.account}.`);
  const earlier = pendingSchema.parse(write.item).pending.M[topUpId(wanted)]?.M;
  if (earlier === undefined) return unreachable("the account changed meanwhile");
  if (Number(earlier.n.N) !== wanted.credits) {
    return problem(
      `An unfinished ${wanted.kind} ${wanted.reference} of ${earlier.n.N} credits stands on the ` +
        "account. Repeat it with that number first.",
    );
  }
  return answer(earlier.nonce.S);
}

/** @returns what the ledger holds under the reference, written now or earlier. */
async function record(tables: Tables, wanted: TopUp, nonce: string): Promise<Answer<TopUpRecord>> {
  const address = recordAddress(tables, wanted);
  const write: Write = await tables.dynamo.put({
    ...address,
    Item: {
      ...address.Key,
      kind: { S: wanted.kind },
      account: { S: wanted.account },
      reference: { S: wanted.reference },
      credits: { N: String(wanted.credits) },
      nonce: { S: nonce },
      created_at: { S: new Date().toISOString() },
    },
    ConditionExpression: "attribute_not_exists(record_id)",
  });
  if (write.outcome === "written") return answer({ credits: wanted.credits, nonce });
  if (write.outcome === "unknown") return unreachable(write.cause);
  return answer(recordSchema.parse(write.item));
}

/** Credits the account and takes the announcement away, both or neither. */
async function conclude(tables: Tables, wanted: TopUp, nonce: string): Promise<Answer<void>> {
  const write = await tables.dynamo.update({
    TableName: tables.accounts,
    Key: { account: { S: wanted.account } },
    UpdateExpression: "SET available = available + :n, granted = granted + :n REMOVE pending.#id",
    ConditionExpression: "pending.#id.nonce = :nonce",
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: { ":n": { N: String(wanted.credits) }, ":nonce": { S: nonce } },
  });
  // Refused: an earlier copy of this very write has concluded.
  return write.outcome === "unknown" ? unreachable(write.cause) : answer(undefined);
}
