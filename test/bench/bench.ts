import type { Bundle } from "./build.ts";
import type { Effort } from "./options.ts";
import type { Stubs } from "./stubs.ts";

/** What every part works with. */
export interface Bench {
  readonly effort: Effort;
  readonly stubs: Stubs;
  readonly service: Bundle;
  readonly floor: Bundle;
}

/** What a part found: the figures that are watched, and what else is worth a line. */
export interface Findings {
  /** By the names that `.local/bench.json` has. */
  readonly figures: Readonly<Record<string, number>>;
  /** For the reader of the table, such as what a ratio is a ratio of. */
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** What the figures come from. */
  readonly raw: unknown;
}
