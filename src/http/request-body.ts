import { failed, type Result, success } from "../contract/result.ts";

const BODY_LIMIT_BYTES = 16 * 1024;

/**
 * Reads a request's body as text: `application/json` only, at most 16 KiB whatever the request
 * declares, valid UTF-8. The rest of a body that is too long is not read.
 */
export async function readBody(request: Request): Promise<Result<string>> {
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") return invalid("Content-Type must be application/json");
  // What is declared as too long is not even begun: a proxy in between may still be sending it.
  if (Number(request.headers.get("content-length")) > BODY_LIMIT_BYTES) return tooLong();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    sizeBytes += part.value.byteLength;
    if (sizeBytes > BODY_LIMIT_BYTES) {
      await reader?.cancel();
      return tooLong();
    }
    chunks.push(part.value);
  }
  if (sizeBytes === 0) return invalid("is missing; expected a JSON object");
  try {
    return success(decode(chunks));
  } catch {
    return invalid("must be UTF-8");
  }
}

/**
 * The request with a body that was read already. Hono lets its raw request be replaced; why it is no
 * second `Request`: `infra/decisions/0007-the-body-that-hono-reads.md`.
 */
export function withText(request: Request, text: string): Request {
  const read = () => Promise.resolve(text);
  return new Proxy(request, {
    get: (target, name): unknown => (name === "text" ? read : Reflect.get(target, name, target)),
  });
}

const strict = { fatal: true, ignoreBOM: false } as const;
const whole = new TextDecoder("utf-8", strict);

function decode(chunks: readonly Uint8Array[]): string {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return whole.decode(first);
  const decoder = new TextDecoder("utf-8", strict);
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
}

function tooLong() {
  return invalid("must be at most 16 KiB");
}

function invalid(rule: string) {
  return failed("URL_INVALID", `body: ${rule}`, { message: `body: ${rule}` });
}
