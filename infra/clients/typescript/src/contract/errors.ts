import type { ErrorCode } from "./contract.ts";

/** What a caller may want to know of a call that failed. */
export interface CallDetails {
  /** How many requests were sent. */
  readonly attempts: number;
  /** Repeat the call with this key: what was paid is then not paid again, for 24 hours. */
  readonly idempotencyKey: string;
}

interface Reason {
  readonly cause?: unknown;
  readonly call?: CallDetails | undefined;
}

/** Everything that this package throws, other than a `TypeError` for a wrong argument. */
export class PublicMediaError extends Error {
  override name = "PublicMediaError";
  /** 0 if nothing was sent. */
  readonly attempts: number;
  readonly idempotencyKey: string | null;

  constructor(message: string, { cause, call }: Reason = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.attempts = call?.attempts ?? 0;
    this.idempotencyKey = call?.idempotencyKey ?? null;
  }
}

/** What the service, or something before it, said when it refused. */
export interface Refusal {
  readonly status: number;
  /** `UNKNOWN` when the body is not one of the service's. */
  readonly code: ErrorCode | "UNKNOWN";
  readonly message: string;
  /** Quote it to support. Null when the body is not one of the service's. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** The service answered with an error. It has charged nothing. */
export class ApiError extends PublicMediaError {
  override name = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | "UNKNOWN";
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(refusal: Refusal, call?: CallDetails) {
    super(refusal.message, { call });
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }
}

/** 400: this service does not exist. */
export class ServiceUnsupportedError extends ApiError {
  override name = "ServiceUnsupportedError";
}

/** 400: the message names the field and the rule. */
export class UrlInvalidError extends ApiError {
  override name = "UrlInvalidError";
}

/** 401: send a valid key. */
export class ApiKeyInvalidError extends ApiError {
  override name = "ApiKeyInvalidError";
}

/** 402: add credits or ask for fewer items. */
export class InsufficientCreditsError extends ApiError {
  override name = "InsufficientCreditsError";
}

/** 422: there is no supported public media at this URL. */
export class MediaNotFoundError extends ApiError {
  override name = "MediaNotFoundError";
}

/** 422: the platform refused. */
export class UpstreamRejectedError extends ApiError {
  override name = "UpstreamRejectedError";
}

/** 429: too many requests, and the reset comes after the deadline or the last attempt. */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";
}

/** 502: the platform's answer was not understood. */
export class UpstreamInvalidResponseError extends ApiError {
  override name = "UpstreamInvalidResponseError";
}

/** 502: the request could not be completed. */
export class UpstreamError extends ApiError {
  override name = "UpstreamError";
}

/** 504: the platform did not answer in time. */
export class UpstreamTimeoutError extends ApiError {
  override name = "UpstreamTimeoutError";
}

/** No answer came, or only a part of one, in any attempt. The request may have been paid. */
export class ConnectionError extends PublicMediaError {
  override name = "ConnectionError";
}

/** The call took longer than its deadline. `cause` has the last failure before, if there was one. */
export class DeadlineError extends PublicMediaError {
  override name = "DeadlineError";
}

/** No service takes this URL. Nothing was sent. */
export class UnrecognizedUrlError extends PublicMediaError {
  override name = "UnrecognizedUrlError";
}

/** A medium could not be downloaded. What came so far stays in the `.part` file. */
export class DownloadError extends PublicMediaError {
  override name = "DownloadError";
  /** The status that the media host answered with, if it answered. */
  readonly status: number | null;

  constructor(
    message: string,
    { cause, status = null }: { readonly cause?: unknown; readonly status?: number | null } = {},
  ) {
    super(message, { cause });
    this.status = status;
  }
}

const CLASSES: Readonly<Record<ErrorCode | "UNKNOWN", typeof ApiError>> = {
  SERVICE_UNSUPPORTED: ServiceUnsupportedError,
  URL_INVALID: UrlInvalidError,
  API_KEY_INVALID: ApiKeyInvalidError,
  INSUFFICIENT_CREDITS: InsufficientCreditsError,
  MEDIA_NOT_FOUND: MediaNotFoundError,
  UPSTREAM_REJECTED: UpstreamRejectedError,
  RATE_LIMITED: RateLimitedError,
  UPSTREAM_INVALID_RESPONSE: UpstreamInvalidResponseError,
  UPSTREAM_ERROR: UpstreamError,
  UPSTREAM_TIMEOUT: UpstreamTimeoutError,
  NOT_FOUND: ApiError,
  METHOD_NOT_ALLOWED: ApiError,
  UNKNOWN: ApiError,
};

/** Whether a text from outside is a code that this version knows. */
export function isErrorCode(code: string): code is ErrorCode {
  return code !== "UNKNOWN" && Object.hasOwn(CLASSES, code);
}

/** The error of the code's own class. */
export function apiError(refusal: Refusal, call: CallDetails): ApiError {
  return new CLASSES[refusal.code](refusal, call);
}
