import type { Service } from "../contract/schemas.ts";
import { scrubbedCause } from "./scrub.ts";

/** What the log line of a request says. Never a key, a token or a media URL. */
export interface TraceFields {
  account?: string;
  key_id?: string;
  service?: Service;
  /** Credits that were reserved. */
  reserved?: number;
  /** Credits that were charged. */
  credits?: number;
  items?: number;
  /** The source that found the media. */
  source?: string;
  /** Sources that were asked because the one before was silent. */
  hedges?: number;
  /** Those of them that cost money. */
  paid_hedges?: number;
  /** Whether one of them was the first to know. */
  hedge_won?: boolean;
  /** The paid request that this one repeats for nothing. */
  replayed?: string;
  /** Why the request failed. */
  cause?: string;
}

/** Collects the log line of a request while the request runs. */
export interface Trace {
  readonly requestId: string;
  /** Gives the request the id of its usage record. */
  readonly rename: (requestId: string) => void;
  readonly note: (fields: TraceFields) => void;
  /** Runs one stage and notes how long it took. */
  readonly time: <T>(stage: string, work: () => Promise<T>) => Promise<T>;
  /** The complete line. `outcome` is `OK` or the error's code. */
  readonly line: (status: number, outcome: string) => Readonly<Record<string, unknown>>;
}

/** @param now milliseconds since 1970. */
export function startTrace(requestId: string, now: () => number): Trace {
  const startedMs = now();
  let id = requestId;
  const fields: TraceFields = {};
  const stages: Record<string, number> = {};
  return {
    get requestId() {
      return id;
    },
    rename: (other) => {
      id = other;
    },
    note: (more) => {
      Object.assign(fields, more);
    },
    time: async (stage, work) => {
      const stageStartedMs = now();
      try {
        return await work();
      } finally {
        stages[`${stage}_ms`] = now() - stageStartedMs;
      }
    },
    line: (status, outcome) => ({
      event: "request",
      request_id: id,
      status,
      outcome,
      credits: 0,
      ...fields,
      ...(fields.cause && { cause: scrubbedCause(fields.cause) }),
      ...stages,
      total_ms: now() - startedMs,
    }),
  };
}
