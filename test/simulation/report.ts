import type { Outcome } from "./run.ts";

/** The outcome of several runs, which is the command's own output. */
export interface Report {
  readonly runs: number;
  readonly requests: number;
  /** Requests by service. */
  readonly services: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

/** A run that broke an invariant. Its seed replays it. */
export interface Violation {
  readonly seed: number;
  readonly broken: readonly string[];
  /** The last lines before the violation. */
  readonly trace: readonly string[];
}

export const NOTHING: Report = {
  runs: 0,
  requests: 0,
  services: {},
  faults: {},
  violations: [],
};

export function merge(a: Report, b: Report): Report {
  return {
    runs: a.runs + b.runs,
    requests: a.requests + b.requests,
    services: added(a.services, b.services),
    faults: added(a.faults, b.faults),
    violations: [...a.violations, ...b.violations],
  };
}

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) {
  const sums = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

const TRACE_LINES = 40;

export function reportOf(outcome: Outcome): Report {
  const { seed, requests, services, faults, violations: broken } = outcome;
  const violation = { seed, broken, trace: linesAbout(outcome).slice(-TRACE_LINES) };
  const violations = broken.length === 0 ? [] : [violation];
  return { runs: 1, requests, services, faults, violations };
}

/** The lines up to the first violation. If it names a request, only those of that request. */
function linesAbout({ violations: [first = ""], trace }: Outcome): readonly string[] {
  const brokenMs = /, (\d+) ms\)$/.exec(first)?.[1] ?? Number.POSITIVE_INFINITY;
  const before = trace.filter((line) => Number.parseFloat(line) * 1_000 <= Number(brokenMs));
  const requestId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(first)?.[0];
  const start = before.find((line) => requestId !== undefined && line.includes(requestId));
  const name = /request \d+/.exec(start ?? "")?.[0];
  if (name === undefined) return before;
  const own = new RegExp(`${name}[ :]| sweep `);
  return before.filter((line) => own.test(line));
}
