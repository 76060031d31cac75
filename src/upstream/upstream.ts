import { success } from "../contract/result.ts";
import type { Timer } from "../runtime/timer.ts";
import {
  type Answer,
  inconclusive,
  type Refusal,
  sourceFailed,
  sourceRefused,
  sourceTimedOut,
} from "./answer.ts";
import { readText } from "./body.ts";
import { drifted } from "./drift.ts";
import { navigationHeaders } from "./navigation.ts";
import { type Patience, type Watch, watchOver } from "./patience.ts";
import { isAllowed, type Reach, targetOf, throughGateway } from "./targets.ts";

/** One request to a platform. */
export interface UpstreamRequest extends Reach {
  readonly url: string;
  /** A longer body makes the answer invalid. */
  readonly maxBytes: number;
  /**
   * Told each piece of the body's text once, in order. When it says that nothing more is needed, the
   * rest of the body is not read.
   */
  readonly isWhole?: (piece: string) => boolean;
  readonly method?: "GET" | "HEAD" | "POST";
  /** Sends the headers of a browser that opens the page, consistent with the user agent. */
  readonly isNavigation?: boolean;
  /** Override all other headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Redirects to follow, 2 by default. 0 returns the redirect itself. A POST follows none. */
  readonly maxRedirects?: number;
}

/** An answer with any status. The source decides what a status means. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for a redirect. As far as it was read where {@link UpstreamRequest.isWhole} ended it. */
  readonly body: string;
  /** The URL of the answer, after redirects. */
  readonly url: URL;
}

/**
 * The bounded fetch of every source. It fails by itself if the source is down or silent, or if an
 * answer is too long. It does not follow a redirect that the request does not allow, but returns
 * it, so that a source can recognise a log-in by its `Location`.
 */
export type Upstream = (request: UpstreamRequest) => Promise<Answer<UpstreamReply>>;

/** What one client's request may still ask of platforms and providers, redirects included. */
export interface Budget {
  requestsLeft: number;
}

export interface UpstreamOptions {
  readonly fetch: typeof fetch;
  readonly userAgent: string;
  /** Gateway that makes the requests for the worker. Its answers are the targets' answers. */
  readonly egressUrl: string | null;
  /** Shared by all attempts of a client's request. */
  readonly budget: Budget;
  /** Ends every request, bodies included. */
  readonly signal: AbortSignal;
  readonly timer: Timer;
  readonly patience: Patience;
}

const MAX_REDIRECTS_DEFAULT = 2;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Builds the bounded fetch for one attempt. */
export function openUpstream(options: UpstreamOptions): Upstream {
  const { signal, timer, patience } = options;
  return async (request) => {
    if (signal.aborted) return interrupted(signal);
    const watch = watchOver(patience, timer);
    const leave = () => watch.end(interrupted(signal));
    signal.addEventListener("abort", leave);
    try {
      // A fetch or a body that ignores the end goes on alone, unread.
      return await Promise.race([watch.ended, follow({ request, options, watch })]);
    } catch (thrown) {
      return sourceFailed(`network: ${describe(thrown)}`);
    } finally {
      watch.stop();
      signal.removeEventListener("abort", leave);
    }
  };
}

/** What an aborted signal means: the source was too slow, or nobody wants its answer any more. */
export function interrupted(signal: AbortSignal): Refusal {
  const reason: unknown = signal.reason;
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return isTimeout ? sourceTimedOut(reason.message) : inconclusive("aborted");
}

/**
 * The default meaning of a status that a source does not handle itself. Reads `Retry-After` only as
 * whole seconds.
 */
export function unexpectedStatus({ status, headers, body }: UpstreamReply): Refusal {
  const cause = `status ${status}`;
  if ([401, 403, 429].includes(status)) return sourceRefused(cause);
  if (status >= 300 && status < 400) {
    return sourceRefused(`${cause} to ${redirectHost(headers)}`);
  }
  const seconds = /^\d{1,6}$/.exec(headers.get("retry-after") ?? "")?.[0];
  const retry = seconds === undefined ? {} : { retryAfterSeconds: Math.max(1, Number(seconds)) };
  if (status === 408 || status === 504) return sourceTimedOut(cause, retry);
  if (status >= 500) return sourceFailed(cause, retry);
  return drifted(cause, "status", body);
}

interface Work {
  readonly request: UpstreamRequest;
  readonly options: UpstreamOptions;
  readonly watch: Watch;
}

async function follow(work: Work): Promise<Answer<UpstreamReply>> {
  const { request } = work;
  const target = URL.parse(request.url);
  if (target === null || !isAllowed(target, request)) {
    return drifted("target is not on the list of hosts", "url", target?.host ?? "no URL");
  }
  return hop(target, maxRedirectsOf(request), work);
}

async function hop(url: URL, redirectsLeft: number, work: Work): Promise<Answer<UpstreamReply>> {
  const { watch, options } = work;
  const { budget } = options;
  if (budget.requestsLeft <= 0) return inconclusive("no upstream requests left");
  budget.requestsLeft -= 1;
  const response = await send(url, work);
  const { status, headers } = response;
  const isLate = watch.signal.aborted;
  if (!REDIRECTS.includes(status) && !isLate) return read(response, url, work);
  await response.body?.cancel();
  watch.signal.throwIfAborted();
  const next = redirectsLeft > 0 ? targetOf(response, url) : null;
  if (next !== null && isAllowed(next, work.request)) return hop(next, redirectsLeft - 1, work);
  return success({ status, headers, body: "", url });
}

function maxRedirectsOf({ method, maxRedirects }: UpstreamRequest): number {
  return method === "POST" ? 0 : (maxRedirects ?? MAX_REDIRECTS_DEFAULT);
}

function send(url: URL, { request, options, watch }: Work): Promise<Response> {
  // Called as a bare function: the worker's own fetch must not be a method of another object.
  const { fetch, egressUrl, userAgent } = options;
  const browser = request.isNavigation === true ? navigationHeaders(userAgent) : {};
  const headers = { "user-agent": userAgent, ...browser, ...lowerCased(request.headers) };
  const target = egressUrl === null ? url.href : throughGateway(egressUrl, url);
  const body = request.body === undefined ? {} : { body: request.body };
  const method = request.method ?? "GET";
  return fetch(target, { method, headers, redirect: "manual", signal: watch.signal, ...body });
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

async function read(
  response: Response,
  url: URL,
  { request, watch }: Work,
): Promise<Answer<UpstreamReply>> {
  const { status, headers } = response;
  const { signal, progress } = watch;
  progress.hasHeaders = true;
  if (response.body === null) return success({ status, headers, body: "", url });
  const { maxBytes, isWhole = () => false } = request;
  const body = await readText(response.body, { maxBytes, isWhole, signal, progress });
  if (body === null) return drifted(`body over ${maxBytes} bytes`, "body", "");
  return success({ status, headers, body, url });
}

/** Logs only the host, because a path or query may contain a token. */
function redirectHost(headers: Headers): string {
  const location = headers.get("location");
  if (location === null) return "nowhere";
  return URL.parse(location)?.host ?? "its own host";
}

function describe(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/https?:\S+/g, "<url>");
}
