import type { Result } from "../contract/result.ts";
import type { Answer, SourceFailure } from "../upstream/answer.ts";
import { addFailure, type Failing, failingSince, isOutage, putLast } from "./outage.ts";
import { codeOf, type Miss } from "./verdict.ts";

/** How long an account leaves a paused source alone after a trial of its own has failed. */
export const PAUSE_MS = 30_000;
/** Accounts of which a pause remembers when they last tried; beyond it the oldest may try again. */
const TRIALS_MAX = 1_000;

/** What is about the source itself. */
const TROUBLES: readonly SourceFailure["kind"][] = [
  "sourceRefused",
  "sourceFailed",
  "sourceTimedOut",
];
/** What a source says that works, whatever it says of the post. */
const ANSWERS: readonly SourceFailure["kind"][] = [
  "notFound",
  "maybeNotFound",
  "refused",
  "drifted",
];

const CAUSE_CHARACTERS_MAX = 200;

/** One request's attempt at a source. */
export interface Attempt {
  /** Service and source. */
  readonly source: string;
  readonly account: string;
  readonly post: string;
  /** Aborted when the client has left, which says nothing about the source. */
  readonly signal: AbortSignal;
}

/**
 * Asks a source, or leaves it alone while it keeps failing.
 *
 * A source is paused when it has failed, or was overtaken because it was silent, for several accounts
 * and posts without one answer between ({@link isOutage}). While it is paused, each account may still try it, one request at a time and
 * again {@link PAUSE_MS} after a failure. The first answer that anybody gets ends the pause for all.
 *
 * So no account decides for the others: fewer than `ACCOUNTS_TO_OPEN` of them cannot begin a pause,
 * none can use up the trial of another, and a source that works is found to work by the first request
 * of any account. What remains: whoever has that many accounts, and finds posts on which a source
 * fails while nobody else gets an answer, delays to others, by a pause, what comes after a failure of
 * their own. Their requests go on to the next source or end with 502.
 */
export type Breaker = <T>(
  attempt: Attempt,
  ask: () => Promise<Answer<T>>,
) => Promise<Result<T, Miss>>;

export interface BreakerOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

interface Pause {
  readonly failure: SourceFailure;
  /** When each account may try again; endless while a trial of it is under way. */
  readonly trials: Map<string, number>;
}

/** What is known of one source. */
interface Circuit {
  readonly source: string;
  readonly failing: Failing;
  pause: Pause | null;
}

/** Opens a breaker without any history. It lives as long as the isolate. */
export function openBreaker(options: BreakerOptions): Breaker {
  const circuits = new Map<string, Circuit>();
  return async (attempt, ask) => {
    const circuit = circuitOf(circuits, attempt.source);
    const { pause } = circuit;
    if (pause === null) return observe(circuit, attempt, { outcome: await ask(), options });
    if (options.now() < (pause.trials.get(attempt.account) ?? 0)) return leftAlone(pause);
    const schedule = (atMs: number) => putLast(pause.trials, attempt.account, atMs, TRIALS_MAX);
    schedule(Number.POSITIVE_INFINITY);
    try {
      return observe(circuit, attempt, { outcome: await ask(), options });
    } finally {
      schedule(attempt.signal.aborted ? 0 : options.now() + PAUSE_MS);
    }
  };
}

function circuitOf(circuits: Map<string, Circuit>, source: string): Circuit {
  const circuit = circuits.get(source) ?? { source, failing: new Map(), pause: null };
  circuits.set(source, circuit);
  return circuit;
}

function leftAlone({ failure }: Pause): { readonly ok: false; readonly failure: Miss } {
  return { ok: false, failure: { kind: "leftAlone", cause: `paused after: ${failure.cause}` } };
}

/** Notes what an outcome says about the source, and returns the outcome. */
function observe<T>(
  circuit: Circuit,
  attempt: Attempt,
  { outcome, options }: { outcome: Answer<T>; options: BreakerOptions },
): Answer<T> {
  if (attempt.signal.aborted) return outcome;
  if (outcome.ok || ANSWERS.includes(outcome.failure.kind)) close(circuit, options);
  else if (TROUBLES.includes(outcome.failure.kind)) {
    // Requests already in flight do not extend the pause.
    if (circuit.pause === null) count(circuit, attempt, { failure: outcome.failure, options });
  }
  return outcome;
}

function close(circuit: Circuit, options: BreakerOptions): void {
  const { pause } = circuit;
  circuit.failing.clear();
  circuit.pause = null;
  if (pause !== null) say(circuit, "closed", { failure: pause.failure, options });
}

function count(
  circuit: Circuit,
  attempt: Attempt,
  { failure, options }: { failure: SourceFailure; options: BreakerOptions },
): void {
  const nowMs = options.now();
  addFailure(circuit.failing, attempt, nowMs);
  const recent = failingSince(circuit.failing, nowMs);
  if (!isOutage(recent)) return;
  const untilMs = nowMs + PAUSE_MS;
  const trials = new Map([...circuit.failing.keys()].map((account) => [account, untilMs]));
  circuit.pause = { failure, trials };
  circuit.failing.clear();
  say(circuit, "opened", { failure, options, ...recent });
}

function say(
  { source }: Circuit,
  state: "opened" | "closed",
  { failure, options, ...evidence }: { failure: SourceFailure; options: BreakerOptions },
): void {
  const cause = failure.cause.slice(0, CAUSE_CHARACTERS_MAX);
  const code = codeOf(failure.kind);
  options.log({ event: "breaker", source, state, code, cause, ...evidence });
}
