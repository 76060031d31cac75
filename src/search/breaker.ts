import type { Answer, Refusal, SourceFailure } from "../upstream/answer.ts";
import { codeOf } from "./verdict.ts";

/** Failures in a row after which a source is left alone: more than one post's bad luck. */
export const FAILURES_TO_OPEN = 20;
/** How long it is left alone before one request may try again. */
export const PAUSE_MS = 30_000;

/** What is about the source itself; all else says something of one post, or nothing. */
const COUNTED: readonly SourceFailure["kind"][] = [
  "sourceRefused",
  "sourceFailed",
  "sourceTimedOut",
];

const CAUSE_CHARACTERS_MAX = 200;

/** One request's attempt at a source. */
export interface Attempt {
  /** Service and source. */
  readonly name: string;
  /** Aborted when the client has left, which says nothing about the source. */
  readonly signal: AbortSignal;
}

/**
 * Asks a source, unless it keeps failing: then, for a pause, the attempt ends at once with the failure
 * that began the pause. After it one request at a time tries again, and the first answer ends it.
 */
export type Breaker = <T>(attempt: Attempt, ask: () => Promise<Answer<T>>) => Promise<Answer<T>>;

export interface BreakerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** What is known of one source. */
interface Circuit {
  readonly name: string;
  /** In a row. */
  failures: number;
  pause: { readonly failure: SourceFailure; readonly untilMs: number } | null;
  isTrying: boolean;
}

/** Opens a breaker that knows nothing yet; it lives as long as the isolate. */
export function openBreaker(options: BreakerOptions): Breaker {
  const circuits = new Map<string, Circuit>();
  return async ({ name, signal }, ask) => {
    const circuit = circuits.get(name) ?? { name, failures: 0, pause: null, isTrying: false };
    circuits.set(name, circuit);
    const { pause } = circuit;
    if (pause !== null && (circuit.isTrying || options.now() < pause.untilMs))
      return skipped(pause);
    if (pause === null) return observe(circuit, await ask(), { signal, options });
    circuit.isTrying = true;
    say(circuit, "half_open", { pause, options });
    try {
      return observe(circuit, await ask(), { signal, options });
    } finally {
      circuit.isTrying = false;
    }
  };
}

type Pause = NonNullable<Circuit["pause"]>;

/** The answer stays honest: it is what the source said last. Its advice on waiting is out of date. */
function skipped({ failure }: Pause): Refusal {
  const { retryAfterSeconds: _, ...rest } = { retryAfterSeconds: 0, ...failure };
  return { ok: false, failure: { ...rest, cause: `paused after: ${failure.cause}` } };
}

/** Keeps what an outcome says about the source. @returns the outcome */
function observe<T>(
  circuit: Circuit,
  outcome: Answer<T>,
  { signal, options }: { signal: AbortSignal; options: BreakerOptions },
): Answer<T> {
  if (signal.aborted) return outcome;
  if (outcome.ok || !COUNTED.includes(outcome.failure.kind)) {
    const { pause } = circuit;
    Object.assign(circuit, { failures: 0, pause: null });
    if (pause !== null) say(circuit, "closed", { pause, options });
    return outcome;
  }
  circuit.failures += 1;
  // Requests already in flight do not extend the pause.
  const isDue = circuit.pause === null || circuit.isTrying;
  if (circuit.failures < FAILURES_TO_OPEN || !isDue) return outcome;
  circuit.pause = { failure: outcome.failure, untilMs: options.now() + PAUSE_MS };
  say(circuit, "opened", { pause: circuit.pause, options });
  return outcome;
}

function say(
  { name, failures }: Circuit,
  state: "opened" | "half_open" | "closed",
  { pause: { failure }, options }: { pause: Pause; options: BreakerOptions },
): void {
  const { kind, cause } = failure;
  const about = {
    source: name,
    state,
    code: codeOf(kind),
    cause: cause.slice(0, CAUSE_CHARACTERS_MAX),
  };
  options.log({ event: "breaker", ...about, ...(state === "opened" && { failures }) });
}
