import type { Finding } from "../prove/findings.ts";
import { CLOSING_MS, DAY_END_MS, OPENING_MS } from "./calendar.ts";
import type { Exhibits } from "./exhibits.ts";
import type { Life, Request } from "./life.ts";

/** Where a fault is planted: an account's life, with one request made for the fault. */
export interface Site {
  readonly life: Life;
  readonly request: Request;
  /** Id of another account, which has no fault. */
  readonly neighbour: string;
}

/** A kind of fault. */
export interface Fault {
  /** When the fault's request was made. */
  readonly plantedMs: number;
  /** Changes what happened. All exports show it. */
  readonly alter?: (site: Site) => void;
  /** Changes what the exports show. */
  readonly spoil?: (exhibits: Exhibits, site: Site) => void;
  /** What reconciling all the exports finds. */
  readonly findings: (exhibits: Exhibits, site: Site) => readonly Finding[];
}

const MINUTE_MS = 60_000;
/** A time in the month, after the day of the incremental export. */
export const MID_MONTH_MS = DAY_END_MS + 10 * 24 * 60 * MINUTE_MS;
export const ON_THE_DAY_MS = OPENING_MS + 6 * 60 * MINUTE_MS;
export const BEFORE_OPENING_MS = OPENING_MS - 6 * 60 * MINUTE_MS;
export const JUST_BEFORE_CLOSING_MS = CLOSING_MS - MINUTE_MS;

/** One finding on the fault's request. */
export function onRequest(check: string, expected: string, found: string) {
  return (_: Exhibits, { life, request }: Site): Finding[] => [
    { check, account: life.account, request: request.id, expected, found },
  ];
}
