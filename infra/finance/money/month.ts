import { type Answer, answer } from "../../terminal/answer.ts";
import type { Database } from "../load/database.ts";
import { collectMoney, type Money } from "./collect.ts";
import { type Prices, readPrices } from "./prices.ts";
import { type OnStep, valueCredits } from "./value.ts";

/** @param path null without a file of prices; then there is no money. */
export async function readPricesIf(path: string | null): Promise<Answer<Prices | null>> {
  return path === null ? answer(null) : readPrices(path);
}

/** Values the credits of the period, and reads the result. */
export async function valueMonth(
  db: Database,
  prices: Prices | null,
  onStep: OnStep,
): Promise<Answer<Money | null>> {
  if (prices === null) return answer(null);
  const valued = await valueCredits(db, prices, onStep);
  return valued.ok ? answer(await collectMoney(db, prices)) : valued;
}
