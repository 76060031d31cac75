import * as z from "zod/mini";
import { notFound, type Refusal, sourceFailed, sourceRefused } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";

/** How the platform's JSON says that something failed, at the top or inside its envelope. */
export const statusSchema = z.object({
  status: z.nullish(z.string()),
  code: z.nullish(z.number()),
  http_status: z.nullish(z.number()),
  message: z.nullish(z.string()),
});
export type Status = z.infer<typeof statusSchema>;

/**
 * What a failure means; null when there is none. Numeric codes are not documented: 50 and 404 say
 * "Pin not found" (public extractors, 2026-08). A refused request is our own stale handler header
 * (yt-dlp #12538, 2025-03).
 */
export function failureOf(told: Status, body: string): Refusal | null {
  const { status, code, http_status: http, message } = told;
  if (status === null || status === undefined || status === "success") return null;
  const cause = `${status} ${code ?? ""} ${http ?? ""}: ${(message ?? "").slice(0, 100)}`;
  if (isMissing(code, http, message)) return notFound(cause);
  if (/invalid (?:resource request|parameter)/i.test(message ?? "")) {
    return drifted(cause, "message", textFrom(body, '"status"'));
  }
  if ([401, 403, 429].includes(http ?? 0)) return sourceRefused(cause);
  if ((http ?? 0) >= 500) return sourceFailed(cause);
  return drifted(cause, "code", textFrom(body, '"status"'));
}

function isMissing(code: unknown, http: unknown, message: string | null | undefined): boolean {
  return code === 50 || code === 404 || http === 404 || /not found/i.test(message ?? "");
}
