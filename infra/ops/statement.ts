import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";
import { showAccount } from "./accounts.ts";
import { type MovementView, readAllMovements } from "./movements-list.ts";
import { monthsFrom } from "./partitions.ts";
import { sumPartition, type UsageSum } from "./usage-sums.ts";

/** An account's month, as the ledger has it. All amounts are credits. */
export interface Statement {
  readonly account_id: string;
  readonly email: string;
  readonly month: string;
  readonly opening: number;
  readonly granted: number;
  readonly purchased: number;
  /** Corrections and refunds together; negative when more was taken than given. */
  readonly adjusted: number;
  readonly used: number;
  /** `opening + granted + purchased + adjusted − used`. */
  readonly closing: number;
  readonly movements: readonly MovementView[];
  /** By day and service. */
  readonly usage: readonly UsageSum[];
}

/**
 * A month from the ledger alone: a request counts from its settlement, in the month of its id. It reads
 * all usage before the month for the opening, of which it keeps only sums.
 * @param month `YYYY-MM`, in UTC; the current one is told as far as it has come
 */
export async function makeStatement(
  tables: Tables,
  { account, month }: { readonly account: string; readonly month: string },
): Promise<Answer<Statement>> {
  const owner = await showAccount(tables, account);
  if (!owner.ok) return owner;
  try {
    const movements = await readAllMovements(tables, account);
    const before = await usedBefore(tables, { account, month }, movements);
    const usage = await sumPartition(tables, `${account}#${month}`, ["day", "service"]);
    const { account_id, email } = owner.value;
    return answer({ account_id, email, ...balance(month, { movements, before, usage }) });
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
}

/** No request is older than the account's first movement, its free credits. */
async function usedBefore(
  tables: Tables,
  { account, month }: { readonly account: string; readonly month: string },
  [first]: readonly MovementView[],
): Promise<number> {
  if (first === undefined) return 0;
  let used = 0;
  for (const earlier of monthsFrom(Date.parse(first.created_at))) {
    if (earlier >= month) break;
    const sums = await sumPartition(tables, `${account}#${earlier}`, []);
    used += creditsOf(sums);
  }
  return used;
}

interface Books {
  /** All movements of the account. */
  readonly movements: readonly MovementView[];
  /** What requests used before the month. */
  readonly before: number;
  /** The month's usage. */
  readonly usage: readonly UsageSum[];
}

/** Draws the balance of a month. Movements belong to the month in which they were recorded. */
export function balance(
  month: string,
  { movements, before, usage }: Books,
): Omit<Statement, "account_id" | "email"> {
  const monthOf = ({ created_at }: MovementView) => created_at.slice(0, 7);
  const opening = creditsOf(movements.filter((one) => monthOf(one) < month)) - before;
  const here = movements.filter((one) => monthOf(one) === month);
  const sumOf = (kind: string) => creditsOf(here.filter((one) => one.kind === kind));
  const [granted, purchased, adjusted] = [sumOf("grant"), sumOf("purchase"), sumOf("adjustment")];
  const used = creditsOf(usage);
  const closing = opening + granted + purchased + adjusted - used;
  const sums = { opening, granted, purchased, adjusted, used, closing };
  return { month, ...sums, movements: here, usage };
}

function creditsOf(rows: readonly { readonly credits: number }[]): number {
  return rows.reduce((sum, { credits }) => sum + credits, 0);
}
