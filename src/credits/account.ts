import { describeThrown } from "../log/scrub.ts";
import type { Item } from "../store/dynamodb.ts";
import { type Account, counterOf, readAccount } from "./items.ts";
import type { Ledger } from "./ledger.ts";

/**
 * Reads an account's item and checks its books. Each thing that is wrong raises the alarm
 * `account_malformed`. An account whose sums are wrong is returned nevertheless: its expired holds
 * must still be given back.
 * @returns null when the item cannot be read as an account
 */
export function openAccount(ledger: Ledger, name: string, item: Item): Account | null {
  const alarm = (cause: string) =>
    ledger.log({ event: "account_malformed", alarm: true, account: name, cause });
  try {
    const account = readAccount(item);
    for (const problem of problemsOf(account)) alarm(problem);
    return account;
  } catch (error) {
    alarm(describeThrown(error));
    return null;
  }
}

/** Which rules of `schema.md` the balances and the counters of an account break. */
export function problemsOf(account: Account): string[] {
  return [...balanceProblems(account), ...counterProblems(account)];
}

function balanceProblems({ available, held, charged, granted, holds }: Account): string[] {
  const open = [...holds.values()].reduce((sum, { credits }) => sum + credits, 0);
  const problems: string[] = [];
  if (available < 0) problems.push(`available is ${available}`);
  if (available + held + charged !== granted) {
    problems.push(`available ${available} + held ${held} + charged ${charged} is not ${granted}`);
  }
  if (open !== held) problems.push(`held is ${held}, the open holds are ${open}`);
  return problems;
}

function counterProblems({ counters, holds }: Account): string[] {
  const open = new Map<string, number>([...counters.keys()].map((name) => [name, 0]));
  for (const { service } of holds.values()) {
    if (service === null) continue;
    const name = counterOf(service);
    open.set(name, (open.get(name) ?? 0) + 1);
  }
  return [...open]
    .filter(([name, count]) => (counters.get(name) ?? 0) !== count)
    .map(([name, count]) => `${name} is ${counters.get(name) ?? 0}, its open holds are ${count}`);
}
