import type { Loadable } from "../load/load.ts";
import { keysMs } from "../read/keys.ts";
import { type Period, utc } from "../read/period.ts";
import type { Series } from "../read/series.ts";

/** What could not be compared, in sentences for the verdict. */
export interface Omitted {
  readonly sentences: readonly string[];
  /** Whether no export from the beginning was there to compare with. */
  readonly lacksOpening: boolean;
}

/** How long after a month's beginning its opening export may be taken. */
const OPENING_WITHIN_MS = 86_400_000;

/**
 * Which comparisons the exports did not allow.
 * @param withoutMac how many records were accepted without a MAC; null if no MAC was verified
 */
export function omittedFrom(
  { series, keys }: Loadable,
  period: Period,
  withoutMac: number | null,
): Omitted {
  const opening = openingProblem(series, period);
  return {
    lacksOpening: opening !== null,
    sentences: [
      ...(opening === null ? [] : [opening]),
      ...keysProblems({ series, keys }),
      ...macProblems(withoutMac),
    ],
  };
}

function macProblems(withoutMac: number | null): string[] {
  if (withoutMac === 0) return [];
  return [
    withoutMac === null
      ? "No MAC key was given (--mac-key). Whether the service wrote each record was not verified."
      : `${withoutMac.toLocaleString("en-US")} records have no MAC. They were accepted, because they are ` +
        "dated before --mac-since.",
  ];
}

const WITHOUT =
  "Records that were changed, removed or dated back, and the opening balances, were not compared.";

function openingProblem({ snapshots, closingMs }: Series, period: Period): string | null {
  const earlier = snapshots.filter(({ atMs }) => atMs < closingMs);
  const [first] = earlier;
  if (first === undefined) return `No earlier export was given. ${WITHOUT}`;
  if (period.month === null || first.atMs <= period.fromMs + OPENING_WITHIN_MS) return null;
  return (
    `No export from the beginning of ${period.month} was given; the first one is of ` +
    `${utc(first.atMs)}. What was before it was not compared with anything.`
  );
}

function keysProblems({ series, keys }: Loadable): string[] {
  if (keys === null) {
    return [
      "No export of the API keys was given (--keys). Whether each charge is on the account of its " +
        "key, and each top-up on that of its reference, was not compared.",
    ];
  }
  if (keysMs(keys) >= series.closingMs) return [];
  return [
    `The export of the API keys is of ${utc(keysMs(keys))}. Keys and references from after it were ` +
      "not compared.",
  ];
}
