import * as z from "zod/mini";
import { notFound, type Refusal, sourceRefused } from "../../upstream/answer.ts";
import { readJson } from "../../upstream/json.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";

const refusalSchema = z.union([
  z.object({ status: z.literal("fail") }),
  z.object({ require_login: z.literal(true) }),
  z.object({ message: z.enum(["checkpoint_required", "challenge_required", "login_required"]) }),
]);

/**
 * What an answer means that is no page; null for a page. The platform refuses with a redirect to
 * its log-in, or with JSON instead of a page (recorded 2020 and 2024), with various statuses.
 */
export function refusalOf(reply: UpstreamReply): Refusal | null {
  const { status, body } = reply;
  if (status === 404 || status === 410) return notFound(`status ${status}`);
  if (status < 500 && /^\s*\{/.test(body) && readJson(body, refusalSchema).ok) {
    return sourceRefused(`status ${status}, refused in JSON`);
  }
  return status === 200 ? null : unexpectedStatus(reply);
}
