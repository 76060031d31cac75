import { success } from "../contract/result.ts";
import {
  type Answer,
  inconclusive,
  type Refusal,
  sourceFailed,
  sourceRefused,
  sourceTimedOut,
} from "./answer.ts";
import { drifted } from "./drift.ts";
import { navigationHeaders } from "./navigation.ts";

/** One request to a platform. */
export interface UpstreamRequest {
  readonly url: string;
  /** Exact hosts that the request and every redirect of it may go to. */
  readonly hosts: readonly string[];
  /**
   * The one origin beside these hosts, where the operator has configured it: it may be http and have
   * a port.
   */
  readonly operatorOrigin?: string;
  /** Bytes of body after which the answer is given up as invalid. */
  readonly maxBytes: number;
  readonly method?: "GET" | "HEAD" | "POST";
  /** Sends the headers of a browser that opens the page, in accord with the user agent. */
  readonly isNavigation?: boolean;
  /** Over all other headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Redirects to follow; 0 hands the redirect itself to the source. Default 2; a POST's are never followed. */
  readonly maxRedirects?: number;
}

/** A whole answer. Any status: what a status means is the source's to say. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for a redirect. */
  readonly body: string;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
}

/**
 * The bounded fetch that every source gets. It fails by itself when the source is out of reach or
 * silent, and when an answer is too long. It does not follow a redirect to a place that the request
 * does not allow but hands it back, so that a source can tell a log-in wall by its `Location`.
 */
export type Upstream = (request: UpstreamRequest) => Promise<Answer<UpstreamReply>>;

/** What one client's request may still ask of platforms and providers, redirects included. */
export interface Budget {
  requestsLeft: number;
}

export interface UpstreamOptions {
  readonly fetch: typeof fetch;
  readonly userAgent: string;
  /** Gateway that makes the requests in the worker's place; its answers are the targets'. */
  readonly egressUrl: string | null;
  /** Shared by all attempts of a client's request. */
  readonly budget: Budget;
  /** Ends every request, bodies included. */
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS_DEFAULT = 2;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/** Builds the bounded fetch of one attempt. */
export function openUpstream(options: UpstreamOptions): Upstream {
  return async (request) => {
    try {
      options.signal.throwIfAborted();
      return await follow(request, options);
    } catch (thrown) {
      if (options.signal.aborted) return interrupted(options.signal);
      return sourceFailed(`network: ${describe(thrown)}`);
    }
  };
}

/** What an aborted signal means: the window has elapsed, or the client has left. */
export function interrupted(signal: AbortSignal): Refusal {
  const reason: unknown = signal.reason;
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  if (isTimeout) return sourceTimedOut("no whole answer within the window");
  return inconclusive("aborted");
}

/**
 * What a status means that a source knows nothing better about. `Retry-After` is read in its form of
 * whole seconds only.
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

function follow(
  request: UpstreamRequest,
  options: UpstreamOptions,
): Promise<Answer<UpstreamReply>> | Answer<UpstreamReply> {
  const target = URL.parse(request.url);
  if (target === null || !isAllowed(target, request)) {
    return drifted("target is not on the list of hosts", "url", target?.host ?? "no URL");
  }
  return hop(target, maxRedirectsOf(request), { request, options });
}

interface Work {
  readonly request: UpstreamRequest;
  readonly options: UpstreamOptions;
}

async function hop(url: URL, redirectsLeft: number, work: Work): Promise<Answer<UpstreamReply>> {
  const { budget } = work.options;
  if (budget.requestsLeft <= 0) return inconclusive("no upstream requests left");
  budget.requestsLeft -= 1;
  const response = await send(url, work);
  const { status, headers } = response;
  if (!REDIRECTS.includes(status)) return read(response, url, work);
  await response.body?.cancel();
  const next = redirectsLeft > 0 ? targetOf(response, url) : null;
  if (next !== null && isAllowed(next, work.request)) return hop(next, redirectsLeft - 1, work);
  return success({ status, headers, body: "", url });
}

function maxRedirectsOf({ method, maxRedirects }: UpstreamRequest): number {
  return method === "POST" ? 0 : (maxRedirects ?? MAX_REDIRECTS_DEFAULT);
}

/** Where a redirect leads; null for one that leads nowhere. */
function targetOf({ headers }: Response, from: URL): URL | null {
  const location = headers.get("location");
  return location === null ? null : URL.parse(location, from.href);
}

/**
 * The port of an https URL is empty when it is the default one. A `blob:` URL has its creator's origin,
 * so the scheme is looked at as well.
 */
function isAllowed(url: URL, { hosts, operatorOrigin }: UpstreamRequest): boolean {
  if (url.username !== "" || url.password !== "") return false;
  const isSecure = url.protocol === "https:";
  if (url.origin === operatorOrigin) return isSecure || url.protocol === "http:";
  return isSecure && url.port === "" && hosts.includes(url.hostname);
}

function send(url: URL, { request, options }: Work): Promise<Response> {
  // Called as a bare function: a worker's own fetch refuses to be a method of another object.
  const { fetch, egressUrl, signal, userAgent } = options;
  const browser = request.isNavigation === true ? navigationHeaders(userAgent) : {};
  const headers = { "user-agent": userAgent, ...browser, ...lowerCased(request.headers) };
  const target = egressUrl === null ? url.href : throughGateway(egressUrl, url);
  const body = request.body === undefined ? {} : { body: request.body };
  const method = request.method ?? "GET";
  return fetch(target, { method, headers, redirect: "manual", signal, ...body });
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/** The gateway's own query stays as it is, byte for byte. */
function throughGateway(egressUrl: string, target: URL): string {
  const gateway = new URL(egressUrl);
  const own = gateway.search === "" ? "" : `${gateway.search.slice(1)}&`;
  gateway.search = `${own}url=${encodeURIComponent(target.href)}`;
  return gateway.href;
}

/** Counts bytes as they come out of any content encoding, so that a small archive cannot swell. */
async function read(
  response: Response,
  url: URL,
  { request, options }: Work,
): Promise<Answer<UpstreamReply>> {
  const { status, headers } = response;
  const reader = response.body?.getReader();
  if (reader === undefined) return success({ status, headers, body: "", url });
  const stop = () => void reader.cancel().catch(() => {});
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    const body = await readText(reader, request.maxBytes);
    options.signal.throwIfAborted();
    if (body === null) return drifted(`body over ${request.maxBytes} bytes`, "body", "");
    return success({ status, headers, body, url });
  } finally {
    options.signal.removeEventListener("abort", stop);
  }
}

/** Null, and the rest left unread, once there are more than `maxBytes`. */
async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    sizeBytes += part.value.byteLength;
    if (sizeBytes > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

/** For the log: the host alone, since a path or query may carry a token. */
function redirectHost(headers: Headers): string {
  const location = headers.get("location");
  if (location === null) return "nowhere";
  return URL.parse(location)?.host ?? "its own host";
}

function describe(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/https?:\S+/g, "<url>");
}
