import * as z from "zod";
import { type Moved, replay } from "../finance/money/order.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { moveCredits } from "./movement.ts";
import { readMovements } from "./refund-ledger.ts";
import { topUpId } from "./topup.ts";

/** A purchase whose money goes back, or has gone back. */
export interface Refund {
  readonly account: string;
  /** The reference of the purchase. */
  readonly purchase: string;
  /** The refund's own, such as the number of a credit note. It counts once. */
  readonly reference: string;
  /** A chargeback: the bank has taken all the money back. */
  readonly reason: "refund" | "chargeback";
  /** Which credits are used first, as in finance's file of prices. */
  readonly usedFirst: "granted" | "purchased";
  /** Who does it. */
  readonly by?: string;
}

/** Asks before so many credits are taken. */
type Agree = (credits: number) => Promise<Answer<void>>;

/** What a refund took back. Credits. */
export interface RefundView {
  readonly account_id: string;
  readonly purchase: string;
  readonly reference: string;
  readonly reason: string;
  readonly purchased: number;
  readonly refunded_before: number;
  readonly taken: number;
  /** Used up, or held by requests that are running. */
  readonly not_taken: number;
  readonly available: number;
  readonly counted: boolean;
}

/**
 * Takes back what is unused of a purchase, as an adjustment that names it. Which credits are unused is
 * decided in finance's order of use; what running requests hold counts as used. It may be repeated
 * under its reference: what the first call took stays. A request that reserves between the reading and
 * the write may have begun to use the purchase: finance then shows that part as a loss.
 * @param agree is asked before anything is written
 */
export async function refundPurchase(
  tables: Tables,
  wanted: Refund,
  agree: Agree = async () => answer(undefined),
): Promise<Answer<RefundView>> {
  const standing = await readStanding(tables, wanted.account);
  if (!standing.ok) return standing;
  const read = await readMovements(tables, wanted.account);
  if (!read.ok) return read;
  const planned = plan(wanted, { ...standing.value, movements: read.value });
  if (!planned.ok) return planned;
  const { taken } = planned.value;
  const agreed = await agree(taken);
  if (!agreed.ok) return agreed;
  const { account, purchase, reference, reason, by } = wanted;
  const credits = taken === 0 ? 0 : -taken;
  const movement = { account, kind: "adjustment", credits, reference, reason } as const;
  const done = await moveCredits(tables, {
    ...movement,
    ...(by !== undefined && { by }),
    refunds: purchase,
  });
  if (!done.ok) return done;
  const after = await readStanding(tables, account);
  if (!after.ok) return after;
  const { available } = after.value;
  const names = { account_id: account, purchase, reference, reason };
  return answer({ ...names, ...planned.value, available, ...done.value });
}

const integer = z.object({ N: z.string() }).transform(({ N }) => Number(N));
const standingSchema = z.object({
  available: integer,
  charged: integer,
  held: integer,
  pending: z.object({ M: z.record(z.string(), z.object({ M: z.object({ n: integer }) })) }),
});

/** The account, read before its records, so that every use it counts is older than they are. */
interface Standing {
  readonly available: number;
  /** What requests have used or hold. */
  readonly used: number;
  /** Credits of announced movements, by id. */
  readonly announced: ReadonlyMap<string, number>;
}

async function readStanding(tables: Tables, account: string): Promise<Answer<Standing>> {
  const found = await readAccountItem(tables, account);
  if (!found.ok) return found;
  const { available, charged, held, pending } = standingSchema.parse(found.value);
  const announced = Object.entries(pending.M).map(([id, { M }]): [string, number] => [id, M.n]);
  return answer({ available, used: charged + held, announced: new Map(announced) });
}

type Plan = Pick<RefundView, "purchased" | "refunded_before" | "taken" | "not_taken">;

/** Decides what is taken, from what the tables hold. A refund that has begun keeps its number. */
export function plan(
  { purchase, reference, reason, usedFirst }: Refund,
  { used, announced, movements }: Standing & { movements: readonly Moved[] },
): Answer<Plan> {
  const bought = movements.find((one) => one.kind === "purchase" && one.reference === purchase);
  if (bought === undefined) return problem(`The account has no purchase ${purchase}.`);
  const earlier = movements.find((one) => one.kind === "adjustment" && one.reference === reference);
  if (earlier !== undefined && earlier.refunds !== purchase) {
    return problem(
      `The adjustment ${reference} is in the ledger and refunds something else. Use another reference.`,
    );
  }
  const others = movements.filter((one) => one.refunds === purchase && one !== earlier);
  const refunded_before = others.reduce((sum, { credits }) => sum - credits, 0);
  const leftOf = () => replay(movements, used, usedFirst).purchases.get(purchase)?.left ?? 0;
  const begun = earlier?.credits ?? announced.get(topUpId({ kind: "adjustment", reference }));
  const taken = begun === undefined ? leftOf() : -begun;
  const not_taken = bought.credits - refunded_before - taken;
  if (taken === 0 && reason === "refund") {
    return problem(
      `Nothing of the purchase ${purchase} is unused: of its ${bought.credits} credits ${refunded_before} ` +
        `were taken back before, and ${not_taken} are used or held by running requests.`,
    );
  }
  return answer({ purchased: bought.credits, refunded_before, taken, not_taken });
}
