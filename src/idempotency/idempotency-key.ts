import { failed, type Result, success } from "../contract/result.ts";
import type { ResolveRequest } from "../contract/schemas.ts";
import type { Idempotency } from "../credits/items.ts";
import { toHex } from "../runtime/hex.ts";

/** Visible ASCII characters. Two headers arrive as one with a blank, and are refused. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
const HASH_DIGITS = 32;

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). Its text is taken as
 * it is, quotes included.
 */
export async function readIdempotency(
  key: string,
  account: string,
  { service, url, max_results }: ResolveRequest,
): Promise<Result<Idempotency>> {
  if (!IDEMPOTENCY_KEY.test(key)) {
    const message = "Idempotency-Key: must be 1 to 255 visible ASCII characters";
    return failed("URL_INVALID", message, { message });
  }
  const [keyHash, requestHash] = await Promise.all([
    hashOf([account, key]),
    hashOf([service, url, max_results]),
  ]);
  return success({ keyHash, requestHash });
}

async function hashOf(parts: readonly (string | number)[]): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return toHex(await crypto.subtle.digest("SHA-256", text)).slice(0, HASH_DIGITS);
}
