import { failed, type Result, success } from "./result.ts";

/** One request to a platform. */
export interface UpstreamRequest {
  readonly url: string;
  /** Exact hosts that the request and every redirect of it may go to. */
  readonly hosts: readonly string[];
  /** Bytes of body after which the answer is given up as invalid. */
  readonly maxBytes: number;
  readonly method?: "GET" | "HEAD" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Redirects to follow; 0 hands the redirect itself to the source. Default 2. */
  readonly maxRedirects?: number;
}

/** A whole answer. Any status: what a status means is the source's to say. */
export interface UpstreamReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Where the answer came from, after redirects. */
  readonly url: URL;
}

/** The bounded fetch that every source gets. Fails by itself with error, timeout or invalid. */
export type Upstream = (request: UpstreamRequest) => Promise<Result<UpstreamReply>>;

export interface UpstreamOptions {
  readonly fetch: typeof fetch;
  readonly userAgent: string;
  /** Gateway that makes the requests in the worker's place; its answers are the targets'. */
  readonly egressUrl: string | null;
  /** Ends every request, bodies included. */
  readonly signal: AbortSignal;
}
