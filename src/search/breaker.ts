import type { ErrorCode } from "../contract/errors.ts";
import { type Failure, failed, type Result } from "../contract/result.ts";

/** Failures in a row after which a source is left alone: more than one post's bad luck. */
export const FAILURES_TO_OPEN = 20;
/** How long it is left alone before one request may try again. */
export const PAUSE_MS = 30_000;

/** What says that a source does not work; "not there" and an odd reply are answers. */
const COUNTED: readonly ErrorCode[] = ["UPSTREAM_REJECTED", "UPSTREAM_ERROR", "UPSTREAM_TIMEOUT"];

const CAUSE_CHARACTERS_MAX = 200;

/** One request's turn at a source. */
export interface Turn {
  /** Service and source. */
  readonly name: string;
  /** Aborted when the client has left, which says nothing about the source. */
  readonly signal: AbortSignal;
}

/**
 * Asks a source, unless it keeps failing: then, for a pause, its turn ends at once with the failure
 * that began the pause. After it one request at a time tries again, and the first answer ends it.
 */
export type Breaker = <T>(turn: Turn, ask: () => Promise<Result<T>>) => Promise<Result<T>>;

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
  pause: { readonly failure: Failure; readonly untilMs: number } | null;
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
function skipped({ failure: { code, cause, message } }: Pause): Result<never> {
  return failed(code, `paused after: ${cause}`, message === undefined ? {} : { message });
}

/** Keeps what an outcome says about the source. @returns the outcome */
function observe<T>(
  circuit: Circuit,
  outcome: Result<T>,
  { signal, options }: { signal: AbortSignal; options: BreakerOptions },
): Result<T> {
  if (signal.aborted) return outcome;
  if (outcome.ok || !COUNTED.includes(outcome.failure.code)) {
    const { pause } = circuit;
    Object.assign(circuit, { failures: 0, pause: null });
    if (pause !== null) say(circuit, "closed", { pause, options });
    return outcome;
  }
  circuit.failures += 1;
  // Of requests that were under way when the pause began, none prolongs it.
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
  const { code, cause } = failure;
  const about = { source: name, state, code, cause: cause.slice(0, CAUSE_CHARACTERS_MAX) };
  options.log({ event: "breaker", ...about, ...(state === "opened" && { failures }) });
}
