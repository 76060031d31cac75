import type { Config } from "../config.ts";
import { compareSpecificity } from "../errors.ts";
import { type Failure, failed, type Result, success } from "../result.ts";
import { interrupted, openUpstream } from "../upstream.ts";
import type { Media, Post, Resolver, Source } from "./resolver.ts";

/** Rings once, after the delay. @returns what keeps it from ringing. */
export type Timer = (delayMs: number, ring: () => void) => () => void;

export interface SearchOptions {
  readonly resolver: Resolver;
  readonly post: Post;
  readonly maxResults: number;
  /** Among them the window: all that the sources may take together, bodies included. */
  readonly settings: Config;
  readonly fetch: typeof fetch;
  /** Aborted when the client has left; the window is kept beside it. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly timer: Timer;
}

/**
 * Asks the service's sources one after the other for a post's media. What a source finds, or that
 * the post has nothing, ends the search; after any other failure the next source has its turn, and
 * the failure that says most about the post is the outcome. Each source gets an equal share of what
 * is left of the window, so that a first one that hangs leaves time for the second.
 */
export async function search(options: SearchOptions): Promise<Result<Media>> {
  const { sources } = options.resolver;
  const endMs = options.now() + options.settings.RESOLVE_WINDOW_MS;
  const failures: Failure[] = [];
  for (const [index, source] of sources.entries()) {
    const shareMs = (endMs - options.now()) / (sources.length - index);
    const found = await ask(source, shareMs, options);
    if (found.ok) return found;
    failures.push({ ...found.failure, cause: `${source.name}: ${found.failure.cause}` });
    if (found.failure.code === "MEDIA_NOT_FOUND" || options.signal.aborted) break;
  }
  return mostSpecific(failures);
}

/** Its code and message are those of one failure, its cause tells all of them. */
function mostSpecific(failures: readonly Failure[]): Result<never> {
  const [first] = failures.toSorted((a, b) => compareSpecificity(a.code, b.code));
  if (first === undefined) {
    const message = "no source configured for this service";
    return failed("UPSTREAM_REJECTED", message, { message });
  }
  return { ok: false, failure: { ...first, cause: failures.map(({ cause }) => cause).join("; ") } };
}

/** One source's turn; it ends with its share, whether or not the source heeds the signal. */
async function ask(
  source: Source,
  shareMs: number,
  options: SearchOptions,
): Promise<Result<Media>> {
  const deadline = new AbortController();
  const stop = options.timer(Math.max(0, shareMs), () => {
    deadline.abort(new DOMException("the source's share has elapsed", "TimeoutError"));
  });
  const signal = AbortSignal.any([options.signal, deadline.signal]);
  try {
    const { fetch, post, settings } = options;
    const { USER_AGENT: userAgent, EGRESS_URL: egressUrl } = settings;
    const upstream = openUpstream({ fetch, userAgent, egressUrl, signal });
    const found = await Promise.race([source.find(post, { upstream, settings }), ending(signal)]);
    return found.ok ? check(found.value, options) : found;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return failed("UPSTREAM_ERROR", `exception: ${message}`);
  } finally {
    stop();
  }
}

function ending(signal: AbortSignal): Promise<Result<never>> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(interrupted(signal));
    signal.addEventListener("abort", () => resolve(interrupted(signal)), { once: true });
  });
}

/** What goes out, whatever a source found: media of the platform's own hosts, each URL once. */
function check({ items, metadata }: Media, { resolver, maxResults }: SearchOptions): Result<Media> {
  const own = items.filter(({ url }) => isOnDomain(url, resolver.mediaDomains));
  const unique = new Map(own.map((item) => [item.url, item]));
  const kept = [...unique.values()].slice(0, maxResults);
  if (kept.length === 0) {
    return failed("MEDIA_NOT_FOUND", `0 of ${items.length} items on a media host`);
  }
  const { title, author, caption } = metadata;
  const plain = { title: trimmed(title), author: trimmed(author), caption: trimmed(caption) };
  return success({ items: kept, metadata: plain });
}

function isOnDomain(url: string, domains: readonly string[]): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "https:") return false;
  return domains.some((domain) => `.${parsed.hostname}`.endsWith(`.${domain}`));
}

function trimmed(text: string | null): string | null {
  return text?.trim() || null;
}
