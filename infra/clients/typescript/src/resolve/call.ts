import type { ResolveRequest } from "../contract/contract.ts";
import {
  type ApiError,
  apiError,
  type CallDetails,
  ConnectionError,
  DeadlineError,
} from "../contract/errors.ts";
import { sleep, within } from "../runtime/time.ts";
import { type Answer, type RateLimit, readAnswer } from "./answer.ts";
import { readText } from "./body.ts";
import { retryWaitMs } from "./retry.ts";

/** How requests go out. */
export interface Line {
  readonly endpoint: URL;
  readonly fetch: typeof fetch;
  /** Headers of every request, the key's included. */
  readonly headers: Readonly<Record<string, string>>;
  /** For one attempt, its body included. */
  readonly timeoutMs: number;
  readonly attemptsMax: number;
  /** From 0 up to 1, for the jitter of waits. */
  readonly random: () => number;
}

/** One call, over all its attempts. */
export interface Call {
  readonly request: ResolveRequest;
  readonly idempotencyKey: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One attempt's end that is no answer. */
interface Failure {
  readonly error: ApiError | ConnectionError;
  readonly rateLimit: RateLimit | null;
}

type Attempt = { readonly answer: Answer } | Failure;

/**
 * Sends one request as often as the contract's retry rules say, under one `Idempotency-Key`. A retry is
 * therefore never paid twice, whatever became of the attempts before.
 * @throws ApiError, ConnectionError or DeadlineError; the reason of the signal when it was aborted
 */
export async function call(line: Line, asked: Call): Promise<Answer & CallDetails> {
  const endMs = performance.now() + asked.deadlineMs;
  const { idempotencyKey } = asked;
  let last: Failure | null = null;
  for (let attempts = 1; ; attempts++) {
    const details = { attempts, idempotencyKey };
    const limitMs = Math.max(1, Math.min(line.timeoutMs, endMs - performance.now()));
    const attempt: Attempt = await send(line, asked, { details, limitMs });
    if ("answer" in attempt) return { ...attempt.answer, ...details };
    const leftMs = endMs - performance.now();
    if (leftMs <= 0) throw lateError(asked, details, last ?? attempt);
    last = attempt;
    const waitMs = waitMsAfter(line, attempt, attempts);
    if (waitMs === null || waitMs >= leftMs) throw attempt.error;
    await sleep(waitMs, asked.signal);
  }
}

/** Null: the failure is final, or there have been attempts enough. */
function waitMsAfter(
  { attemptsMax, random }: Line,
  { error, rateLimit }: Failure,
  failures: number,
): number | null {
  if (failures >= attemptsMax) return null;
  const { message } = error;
  const resetSeconds = rateLimit?.resetSeconds ?? null;
  const { status, retryAfterSeconds } =
    "status" in error ? error : { status: null, retryAfterSeconds: null };
  const failing = { status, message, retryAfterSeconds, resetSeconds };
  return retryWaitMs(failing, failures, random());
}

function lateError({ deadlineMs }: Call, details: CallDetails, last: Failure) {
  const message = `The call did not end within its deadline of ${deadlineMs} ms.`;
  return new DeadlineError(message, { cause: last.error, call: details });
}

async function send(
  line: Line,
  { request, idempotencyKey, signal }: Call,
  { details, limitMs }: { readonly details: CallDetails; readonly limitMs: number },
): Promise<Attempt> {
  const sent = await within(limitMs, signal, async (signal) => {
    const response = await line.fetch(line.endpoint, {
      method: "POST",
      headers: { ...line.headers, "Idempotency-Key": idempotencyKey },
      body: JSON.stringify(request),
      // A redirect followed would carry the key to another address.
      redirect: "manual",
      signal,
    });
    return readAnswer(response.status, response.headers, await readText(response));
  });
  if (!sent.ended) {
    const message = sent.isTimeOver
      ? `No whole answer came within ${Math.ceil(limitMs)} ms.`
      : "The connection was lost before a whole answer came.";
    const error = new ConnectionError(message, { cause: sent.cause, call: details });
    return { error, rateLimit: null };
  }
  if (sent.value.ok) return { answer: sent.value.answer };
  const { refusal, rateLimit } = sent.value;
  return { error: apiError(refusal, details), rateLimit };
}
