import * as z from "zod/mini";
import { notFound, type Refusal, sourceFailed, sourceRefused } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { amount } from "../../upstream/renditions.ts";

/** How the platform's JSON says that something failed, at the top or inside its envelope. */
export const statusSchema = z.object({
  status: z.nullish(z.string()),
  code: amount,
  http_status: amount,
  message: z.nullish(z.string()),
});
export type Status = z.infer<typeof statusSchema>;

/** A refused request means that our handler header is out of date (yt-dlp #12538, 2025-03). */
const STALE = /invalid (?:resource request|parameter)/i;

/**
 * What a failure means; null when there is none. Numeric codes are not documented: 50 and 404 say
 * "Pin not found" (public extractors, 2026-08).
 * @param body the reply, for the report of drift
 */
export function failureOf(told: Status, body: string): Refusal | null {
  const { status } = told;
  if (status === null || status === undefined || status === "success") return null;
  const message = told.message ?? "";
  const http = told.http_status;
  const cause = `${status} ${told.code} ${http}: ${message.slice(0, 100)}`;
  if (isMissing(told)) return notFound(cause);
  const envelope = textFrom(body, '"status"');
  if (STALE.test(message)) return drifted(cause, "message", envelope);
  if ([401, 403, 429].includes(http)) return sourceRefused(cause);
  return http >= 500 ? sourceFailed(cause) : drifted(cause, "code", envelope);
}

function isMissing({ code, http_status: http, message }: Status): boolean {
  return code === 50 || code === 404 || http === 404 || /not found/i.test(message ?? "");
}
