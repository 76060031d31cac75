import type { MediaItem, ResolveResponse, Service } from "../contract/contract.ts";
import { isErrorCode, type Refusal } from "../contract/errors.ts";
import { isRecord } from "../runtime/record.ts";
import { isService } from "../services/services.ts";

/** What the account paid for one call. */
export interface Credits {
  readonly charged: number;
  /** What is left. Null if the service did not say. */
  readonly available: number | null;
}

/** The state of the limit of requests a minute. */
export interface RateLimit {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What one response of the service says. */
export interface Answer {
  readonly post: ResolveResponse;
  readonly credits: Credits;
  /** The answer repeats one that was paid before under the same `Idempotency-Key`. */
  readonly isReplay: boolean;
  readonly requestId: string;
  /** Null if the service could not say. */
  readonly rateLimit: RateLimit | null;
}

export type Reading =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly refusal: Refusal; readonly rateLimit: RateLimit | null };

/** Reads a response: its status, headers and whole body. */
export function readAnswer(status: number, headers: Headers, text: string): Reading {
  const body = parse(text);
  const rateLimit = readRateLimit(headers.get("RateLimit"));
  if (status === 200 && isResolveResponse(body)) {
    const charged = readCount(headers.get("X-Credits-Charged")) ?? body.credits_used;
    const credits = { charged, available: readCount(headers.get("X-Credits-Available")) };
    const isReplay = headers.get("Idempotent-Replayed") === "true";
    const answer = { post: body, credits, isReplay, requestId: body.request_id, rateLimit };
    return { ok: true, answer };
  }
  const retryAfterSeconds = readCount(headers.get("Retry-After"));
  return {
    ok: false,
    refusal: { ...readError(status, body), status, retryAfterSeconds },
    rateLimit,
  };
}

function readError(status: number, body: unknown) {
  if (!isError(body)) {
    const message = `The answer is not one of the service: status ${status}.`;
    return { code: "UNKNOWN" as const, message, requestId: null };
  }
  const { code, message, request_id: requestId } = body;
  const known = isErrorCode(code) ? code : ("UNKNOWN" as const);
  return { code: known, message, requestId: typeof requestId === "string" ? requestId : null };
}

interface ErrorShape {
  readonly code: string;
  readonly message: string;
  readonly request_id?: unknown;
}

function isError(body: unknown): body is ErrorShape {
  if (!isRecord(body)) return false;
  const { error, code, message } = body;
  return error === true && typeof code === "string" && typeof message === "string";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whole numbers of at most nine digits; null for everything else. */
function readCount(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** The first policy of the header, as in draft-ietf-httpapi-ratelimit-headers. */
function readRateLimit(header: string | null): RateLimit | null {
  const remaining = /;r=(\d{1,9})(?!\d)/.exec(header ?? "")?.[1];
  const resetSeconds = /;t=(\d{1,9})(?!\d)/.exec(header ?? "")?.[1];
  if (remaining === undefined || resetSeconds === undefined) return null;
  return { remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}

/** Ignores fields that a later version of the service may add. */
function isResolveResponse(body: unknown): body is ResolveResponse {
  if (!isRecord(body)) return false;
  const { ok, service, source_url, item_count, items, metadata, request_id, credits_used } = body;
  return (
    ok === true &&
    isKnown(service) &&
    [source_url, request_id].every((text) => typeof text === "string") &&
    [item_count, credits_used].every((count) => Number.isSafeInteger(count)) &&
    Array.isArray(items) &&
    items.every(isItem) &&
    isMetadata(metadata)
  );
}

function isKnown(service: unknown): service is Service {
  return typeof service === "string" && isService(service);
}

function isItem(item: unknown): item is MediaItem {
  if (!isRecord(item)) return false;
  const { type, url } = item;
  return ["video", "image", "audio"].some((known) => known === type) && typeof url === "string";
}

function isMetadata(metadata: unknown): boolean {
  if (!isRecord(metadata)) return false;
  const { title, author, caption } = metadata;
  return [title, author, caption].every((text) => text === null || typeof text === "string");
}
