import type { MediaLine } from "./download/request.ts";
import type { Line } from "./resolve/call.ts";

export interface ClientOptions {
  /** A secret. It is in no message and no property of the client. */
  readonly apiKey: string;
  /** Where the service is, without `/v1/resolve`. `https:`, or `http:` on the loopback address. */
  readonly baseUrl: string;
  readonly fetch?: typeof fetch | undefined;
  /** For one attempt. 130 s by default: the service answers within 120 s. */
  readonly timeoutMs?: number | undefined;
  /** For one call. 150 s by default: a whole attempt, and time to ask for its answer once more. */
  readonly deadlineMs?: number | undefined;
  /** Of one call or download; 6 by default. */
  readonly attemptsMax?: number | undefined;
  /** More domains that media may come from: those of the service's operator. */
  readonly mediaDomains?: readonly string[] | undefined;
}

export interface Settings {
  readonly line: Line;
  readonly media: MediaLine;
  readonly deadlineMs: number;
}

/** Node, Deno, Bun and Workers wait no longer than 2^31 - 1 ms. */
export const TIME_MAX_MS = 2_147_483_647;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** @throws TypeError for an option that cannot be; the message does not have its value */
export function readOptions(options: ClientOptions, userAgent: string): Settings {
  const { apiKey, baseUrl, mediaDomains = [] } = options;
  const attemptsMax = options.attemptsMax ?? 6;
  // `fetch` of browsers and Workers must be called as a function, not as a method.
  const send: typeof fetch = options.fetch ?? ((...asked) => fetch(...asked));
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError("apiKey: must be the text of a key");
  }
  assertWithin("attemptsMax", attemptsMax, 100);
  const endpoint = endpointOf(baseUrl);
  const { random } = Math;
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    "Content-Type": "application/json",
    Accept: "application/json",
    "User-Agent": userAgent,
  };
  const timeoutMs = assertWithin("timeoutMs", options.timeoutMs ?? 130_000, TIME_MAX_MS);
  const deadlineMs = assertWithin("deadlineMs", options.deadlineMs ?? 150_000, TIME_MAX_MS);
  const rules = { domains: mediaDomains, allowsLoopback: LOOPBACK.test(endpoint.hostname) };
  return {
    line: { endpoint, fetch: send, headers, timeoutMs, attemptsMax, random },
    media: { fetch: send, rules, attemptsMax, random },
    deadlineMs,
  };
}

function endpointOf(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  const isLocal = base?.protocol === "http:" && LOOPBACK.test(base.hostname);
  const isSafe = base?.protocol === "https:" || isLocal;
  if (base === null || !isSafe || base.username !== "" || base.search !== "") {
    throw new TypeError("baseUrl: must be an https: URL without user name and query");
  }
  return new URL(`${base.pathname.replace(/\/$/, "")}/v1/resolve`, base);
}

/** @throws TypeError */
export function assertWithin(name: string, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new TypeError(`${name}: must be an integer from 1 to ${max}`);
}
