import type { Outcome } from "./run.ts";

/** What several runs came to; the command's own output. */
export interface Report {
  readonly runs: number;
  readonly requests: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

/** A run that broke something: its seed replays it. */
export interface Violation {
  readonly seed: number;
  readonly broken: readonly string[];
  /** The lines that name what broke, the last ones first to be kept. */
  readonly trace: readonly string[];
}

export const NOTHING: Report = { runs: 0, requests: 0, faults: {}, violations: [] };

export function merge(a: Report, b: Report): Report {
  const faults = { ...a.faults };
  for (const [kind, count] of Object.entries(b.faults)) faults[kind] = (faults[kind] ?? 0) + count;
  return {
    runs: a.runs + b.runs,
    requests: a.requests + b.requests,
    faults,
    violations: [...a.violations, ...b.violations],
  };
}

const TRACE_LINES = 40;

export function reportOf(outcome: Outcome): Report {
  const { seed, requests, faults, violations: broken } = outcome;
  const violation = { seed, broken, trace: linesAbout(outcome).slice(-TRACE_LINES) };
  return { runs: 1, requests, faults, violations: broken.length === 0 ? [] : [violation] };
}

/** Of the request that a violation names, if it names one. */
function linesAbout({ violations, trace }: Outcome): readonly string[] {
  const requestId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(violations[0] ?? "")?.[0];
  const first = trace.find((line) => requestId !== undefined && line.includes(requestId));
  const name = /request \d+/.exec(first ?? "")?.[0];
  if (name === undefined) return trace;
  return trace.filter(
    (line) => line.includes(`${name} `) || line.includes(`${name}:`) || / sweep /.test(line),
  );
}
