import type { Bundle } from "./build.ts";
import type { Effort } from "./options.ts";
import type { Stubs } from "./stubs.ts";

/** What every part of the benchmark needs. */
export interface Bench {
  readonly effort: Effort;
  readonly stubs: Stubs;
  readonly service: Bundle;
  readonly floor: Bundle;
}

/** A part's results: figures with a bound or for comparison, and lines worth reading. */
export interface Findings {
  /** Figures by their names in `.local/bench.json`. */
  readonly figures: Readonly<Record<string, number>>;
  /** Lines for the reader of the table, for example what a ratio compares. */
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** The raw values behind the figures. */
  readonly raw: unknown;
}
