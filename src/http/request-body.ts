import { failed, type Result, success } from "../contract/result.ts";
import type { Timer } from "../runtime/timer.ts";

export const BODY_LIMIT_BYTES = 16 * 1024;
/** Whoever sends a small body slower than this wants to keep the request open. */
export const BODY_TIMEOUT_MS = 10_000;

/**
 * Reads a request's body as text: `application/json` only, at most 16 KiB whatever the request
 * declares, complete within 10 s, valid UTF-8. What is too long or too late is not read to its end.
 */
export async function readBody(request: Request, timer: Timer): Promise<Result<string>> {
  const mediaType = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") return invalid("Content-Type must be application/json");
  const declaredBytes = Number(request.headers.get("content-length"));
  // Reads nothing of a body that declares itself too long: a proxy may still be sending it.
  if (declaredBytes > BODY_LIMIT_BYTES) return tooLong();
  const { body } = request;
  const chunks = body === null ? success([]) : await readInTime(body, declaredBytes, timer);
  if (!chunks.ok) return chunks;
  if (chunks.value.length === 0) return invalid("is missing; expected a JSON object");
  try {
    return success(decode(chunks.value));
  } catch {
    return invalid("must be UTF-8");
  }
}

async function readInTime(
  body: ReadableStream<Uint8Array>,
  declaredBytes: number,
  timer: Timer,
): Promise<Result<Uint8Array[]>> {
  const reader = body.getReader();
  let isLate = false;
  const cancelTimer = timer(BODY_TIMEOUT_MS, () => {
    isLate = true;
    void reader.cancel().catch(() => {});
  });
  try {
    const chunks = await readChunks(reader, declaredBytes);
    return isLate ? tooLate() : chunks;
  } catch {
    return isLate ? tooLate() : invalid("broke off");
  } finally {
    cancelTimer();
  }
}

/** Ends with the declared length: another read would only say that nothing comes. */
async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  declaredBytes: number,
): Promise<Result<Uint8Array[]>> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    sizeBytes += part.value.byteLength;
    if (sizeBytes > BODY_LIMIT_BYTES) {
      await reader.cancel();
      return tooLong();
    }
    if (part.value.byteLength > 0) chunks.push(part.value);
    if (sizeBytes === declaredBytes) break;
  }
  return success(chunks);
}

/**
 * The same request, whose `text()` answers with the body that was read already. Why it is no second
 * `Request`: `infra/decisions/0007-the-body-that-hono-reads.md`.
 */
export function withText(request: Request, text: string): Request {
  return Object.defineProperty(request, "text", { value: () => Promise.resolve(text) });
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

function tooLate() {
  return invalid(`must be complete within ${BODY_TIMEOUT_MS / 1000} s`);
}

function invalid(rule: string) {
  return failed("URL_INVALID", `body: ${rule}`, { message: `body: ${rule}` });
}
