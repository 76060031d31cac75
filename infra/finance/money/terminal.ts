import type { Money } from "./collect.ts";

/** Lines for the terminal: the deferred revenue of each currency. */
export function moneyRows({ rollforward }: Money): (readonly [string, string])[] {
  return rollforward
    .filter(({ currency }) => currency !== "")
    .flatMap((row) => [
      [`${row.currency}: deferred revenue before`, row.opening_net] as const,
      ["+ sales, net", row.sold_net] as const,
      ["- revenue", row.used_net] as const,
      ["- adjusted", row.adjusted_net] as const,
      ["- refunded", row.refunded_net] as const,
      [`${row.currency}: deferred revenue after`, row.closing_net] as const,
    ]);
}

/** Whether each amount stands for credits of the ledger. Always so where the ledger is sound. */
export function isReconciled({ reconciled }: Money): boolean {
  return reconciled.every(({ valued, ledger }) => valued === ledger);
}
