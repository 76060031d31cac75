import * as z from "zod";
import { accountAddress } from "../../src/credits/ledger.ts";
import type { ConditionalUpdate, Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";

/** The tables that a movement of credits uses. */
type Books = Pick<Tables, "accounts" | "ledger" | "dynamo" | "now" | "authenticate">;

/** A movement of credits that is not usage. It counts exactly once under its reference. */
export interface TopUp {
  readonly account: string;
  readonly kind: "grant" | "purchase" | "adjustment";
  /** Whole credits. Negative only in an adjustment that takes credits away, 0 only in a chargeback. */
  readonly credits: number;
  /** The operator's own reference, such as an invoice number. Unique per account and kind. */
  readonly reference: string;
  /** The reason of an adjustment. */
  readonly reason?: string;
  /** The reference of the purchase that an adjustment refunds. */
  readonly refunds?: string;
  /** Who does it. Of several calls under one reference, the one that writes the record is named. */
  readonly by?: string;
}

/**
 * Moves credits in three single-item writes, the mirror of the reservation protocol: announce the
 * movement on the account with a nonce, write the ledger record that names the nonce, then conclude:
 * take the announcement away and credit the account. What an adjustment takes away is taken with the
 * announcement, where `available` can still refuse it.
 *
 * It may be repeated, and may stop anywhere. The record decides: only the announcement whose nonce it
 * names counts. The account counts concluded movements, so that a late copy of the first write is
 * refused.
 * @returns whether this call wrote the record that makes the movement count. Of several calls at once,
 *   and of all repetitions, at most one did.
 */
export async function topUp(tables: Books, wanted: TopUp): Promise<Answer<{ counted: boolean }>> {
  const announced = await announce(tables, wanted);
  if (!announced.ok) return announced;
  if (announced.value === null) return answer({ counted: false });
  const decided = await record(tables, wanted, announced.value);
  if (!decided.ok) return decided;
  const counts = decided.value.nonce === announced.value;
  const concluded = await conclude(tables, wanted, { nonce: announced.value, counts });
  return concluded.ok ? answer({ counted: decided.value.written }) : concluded;
}

/** The name of a movement: on the account while it is announced, in the ledger for good. */
export function topUpId({ kind, reference }: Pick<TopUp, "kind" | "reference">): string {
  return `${kind}:${reference}`;
}

/** An announced movement, as stored in the account's `pending` map. */
export function pendingTopUp(credits: number, nonce: string): Item[string] {
  return { M: { n: { N: String(credits) }, nonce: { S: nonce } } };
}

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const integer = z.object({ N: z.string() }).transform(({ N }) => Number(N));

const recordSchema = z.object({ credits: integer, nonce: text });
type TopUpRecord = z.infer<typeof recordSchema>;

const accountSchema = z.object({
  movements: integer,
  available: integer,
  pending: z.object({
    M: z.record(z.string(), z.object({ M: z.object({ n: integer, nonce: text }) })),
  }),
});

/** The part of an account that movements use. */
interface Standing {
  /** Number of concluded movements. */
  readonly movements: number;
  readonly available: number;
  /** An announcement of this movement, by a call that is under way or did not end. */
  readonly announced: { readonly n: number; readonly nonce: string } | undefined;
}

function recordAddress(tables: Books, wanted: TopUp) {
  const Key = {
    account_period: { S: `${wanted.account}#credits` },
    record_id: { S: topUpId(wanted) },
  };
  return { TableName: tables.ledger, Key };
}

async function readStanding(tables: Books, wanted: TopUp): Promise<Answer<Standing>> {
  const found = await readAccountItem(tables, wanted.account);
  if (!found.ok) return found;
  const { movements, available, pending } = accountSchema.parse(found.value);
  return answer({ movements, available, announced: pending.M[topUpId(wanted)]?.M });
}

async function readRecord(tables: Books, wanted: TopUp): Promise<Answer<TopUpRecord | null>> {
  const found = await tables.dynamo.read(recordAddress(tables, wanted));
  if (found.outcome === "unknown") return unreachable(found.cause);
  return answer(found.item === null ? null : recordSchema.parse(found.item));
}

/**
 * @returns the nonce of the announcement, made now or earlier; null when the movement is in the ledger
 *   and nothing is left to do.
 */
async function announce(tables: Books, wanted: TopUp): Promise<Answer<string | null>> {
  for (let attempt = 0; attempt < ANNOUNCE_ATTEMPTS; attempt++) {
    // The account is read first: a movement that is concluded after this read makes the write fail.
    const before = await readStanding(tables, wanted);
    if (!before.ok) return before;
    const recorded = await readRecord(tables, wanted);
    if (!recorded.ok) return recorded;
    if (recorded.value !== null) return leftOver(tables, wanted, recorded.value);
    const announced = await announceOnce(tables, wanted, before.value);
    if (announced !== "again") return announced;
  }
  return unreachable("the account changed under every attempt");
}

/** The rest of the work when the record of an earlier call is in the ledger. */
async function leftOver(
  tables: Books,
  wanted: TopUp,
  { credits }: TopUpRecord,
): Promise<Answer<string | null>> {
  if (credits !== wanted.credits) {
    return problem(
      `The ${wanted.kind} ${wanted.reference} is in the ledger with ${credits} credits. ` +
        "Use another reference for another movement.",
    );
  }
  const standing = await readStanding(tables, wanted);
  return standing.ok ? answer(standing.value.announced?.nonce ?? null) : standing;
}

async function announceOnce(
  tables: Books,
  wanted: TopUp,
  { announced, available, movements: seen }: Standing,
): Promise<Answer<string> | "again"> {
  if (announced !== undefined) return goOn(wanted, announced);
  if (wanted.credits < 0 && available + wanted.credits < 0) {
    return problem(
      `The account has ${available} credits available; ${-wanted.credits} cannot be taken.`,
    );
  }
  const nonce = crypto.randomUUID();
  const write = await tables.dynamo.update(announceUpdate(tables, wanted, { nonce, seen }));
  if (write.outcome === "written") return answer(nonce);
  return write.outcome === "refused" ? "again" : unreachable(write.cause);
}

/** Continues with the announcement that is there. */
function goOn(wanted: TopUp, earlier: { n: number; nonce: string }): Answer<string> {
  if (earlier.n === wanted.credits) return answer(earlier.nonce);
  return problem(
    `An unfinished ${wanted.kind} ${wanted.reference} of ${earlier.n} credits stands on the ` +
      "account. Repeat it with that number first.",
  );
}

/** An attempt fails only when another movement, or a request at the edge of the balance, comes between. */
const ANNOUNCE_ATTEMPTS = 5;

/** Refused once another movement has been concluded, so that a late copy is not announced again. */
function announceUpdate(
  tables: Books,
  wanted: TopUp,
  { nonce, seen }: { nonce: string; seen: number },
): ConditionalUpdate {
  const unannounced = "movements = :seen AND attribute_not_exists(pending.#id)";
  const takes = wanted.credits < 0;
  return {
    ...accountAddress(tables.accounts, wanted.account),
    UpdateExpression: takes
      ? "SET pending.#id = :announced, available = available - :n, granted = granted - :n"
      : "SET pending.#id = :announced",
    ConditionExpression: takes ? `${unannounced} AND available >= :n` : unannounced,
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: {
      ":seen": { N: String(seen) },
      ":announced": pendingTopUp(wanted.credits, nonce),
      ...(takes && { ":n": { N: String(-wanted.credits) } }),
    },
  };
}

/** @returns the nonce of the record in the ledger, and whether this call has written it. */
async function record(
  tables: Books,
  wanted: TopUp,
  nonce: string,
): Promise<Answer<{ nonce: string; written: boolean }>> {
  const address = recordAddress(tables, wanted);
  const write = await tables.dynamo.put({
    ...address,
    Item: await tables.authenticate({
      ...address.Key,
      kind: { S: wanted.kind },
      account: { S: wanted.account },
      reference: { S: wanted.reference },
      credits: { N: String(wanted.credits) },
      ...(wanted.reason !== undefined && { reason: { S: wanted.reason } }),
      ...(wanted.refunds !== undefined && { refunds: { S: wanted.refunds } }),
      ...(wanted.by !== undefined && { by: { S: wanted.by } }),
      nonce: { S: nonce },
      created_at: { S: new Date(tables.now()).toISOString() },
    }),
    ConditionExpression: "attribute_not_exists(record_id)",
  });
  if (write.outcome === "written") return answer({ nonce, written: true });
  if (write.outcome === "unknown") return unreachable(write.cause);
  return answer({ nonce: recordSchema.parse(write.item).nonce, written: false });
}

/** Ends the announcement. One that does not count gives back the credits that it took. */
async function conclude(
  tables: Books,
  wanted: TopUp,
  { nonce, counts }: { nonce: string; counts: boolean },
): Promise<Answer<void>> {
  const adds = counts ? Math.max(wanted.credits, 0) : Math.max(-wanted.credits, 0);
  const write = await tables.dynamo.update({
    ...accountAddress(tables.accounts, wanted.account),
    UpdateExpression:
      "SET available = available + :n, granted = granted + :n, movements = movements + :one " +
      "REMOVE pending.#id",
    ConditionExpression: "pending.#id.nonce = :nonce",
    ExpressionAttributeNames: { "#id": topUpId(wanted) },
    ExpressionAttributeValues: {
      ":n": { N: String(adds) },
      ":one": { N: "1" },
      ":nonce": { S: nonce },
    },
  });
  // Refused: an earlier copy of this write has already concluded it.
  return write.outcome === "unknown" ? unreachable(write.cause) : answer(undefined);
}
