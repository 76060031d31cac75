import type { Line } from "../../../infra/canary/list.ts";
import type { Answer } from "../../../infra/canary/messages.ts";

/** Lines and answers as the canary has them. */

const POST = "https://x.com/sample_account/status/";

export function lineOf(number: number, overrides: Partial<Line> = {}): Line {
  return { number, service: "microblog", url: `${POST}${number}`, expected: null, ...overrides };
}

type Found = Answer["sources"][number];

export function foundBy(source: string, items: number, durationMs = 10): Found {
  return { source, code: "OK", items, durationMs, cause: null, drift: null };
}

export function refusedBy(source: string, overrides: Partial<Found> = {}): Found {
  const { durationMs } = foundBy(source, 0);
  const failure = { code: "UPSTREAM_ERROR", cause: "status 503", drift: null } as const;
  return { source, items: 0, durationMs, ...failure, ...overrides };
}

/** What the service makes of its sources' results: the last one decides. */
export function answerOf(...sources: readonly Found[]): Answer {
  const last = sources.at(-1);
  if (last === undefined) return { whole: UNSOURCED, sources: [] };
  const isFound = last.code === "OK";
  const message = isFound ? null : "The request could not be completed.";
  const source = isFound ? last.source : null;
  return { whole: { ...last, source, message, media: [] }, sources: [...sources] };
}

const UNSOURCED: Answer["whole"] = {
  ...{ code: "UPSTREAM_REJECTED", items: 0, durationMs: 0, cause: "no source", drift: null },
  ...{ source: null, message: "This service has no source.", media: [] },
};
