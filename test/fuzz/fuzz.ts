/** What a number of cases of one kind came to. */
export interface Findings {
  readonly cases: number;
  /** Outcomes by name, to see that every sort was met. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** A test to paste, with the shrunk case; null when nothing was found. */
  readonly failure: string | null;
}

/** Looks at so many cases of one kind. The same seed gives the same cases. */
export type Fuzz = (seed: number, cases: number) => Promise<Findings>;

/** Counts outcomes by name. */
export function createTally() {
  const outcomes: Record<string, number> = {};
  let cases = 0;
  return {
    add: (outcome: string) => {
      cases++;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
    findings: (failure: string | null): Findings => ({ cases, outcomes, failure }),
  };
}

/** The parts of fast-check's report that a failure needs. */
interface Report<T> {
  readonly failed: boolean;
  readonly seed: number;
  readonly counterexample: T | null;
  readonly errorInstance: unknown;
}

/** A failed report as a test to paste; null for one that has not failed. */
export function pasteable<T>(report: Report<T>, body: (found: T) => string): string | null {
  if (!report.failed) return null;
  const { seed, counterexample, errorInstance } = report;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const test = counterexample === null ? "" : body(counterexample);
  return `// seed ${seed}: ${why.replaceAll("\n", "\n// ")}\n${test}`;
}
