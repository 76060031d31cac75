import type { Config } from "../config.ts";
import { compareSpecificity } from "../errors.ts";
import { type Failure, failed, type Result, success } from "../result.ts";
import { interrupted, openUpstream } from "../upstream.ts";
import type { Breaker } from "./breaker.ts";
import { checkMedia } from "./media-check.ts";
import type { Media, Post, Resolver, Source } from "./resolver.ts";

export interface SearchOptions {
  readonly resolver: Resolver;
  /** The resolver's sources that can be asked, in their configured order. */
  readonly sources: readonly Source[];
  readonly post: Post;
  readonly maxResults: number;
  /** Among them the window: all that the sources may take together, bodies included. */
  readonly settings: Config;
  readonly fetch: typeof fetch;
  /** Leaves out, for a while, a source that keeps failing. */
  readonly breaker: Breaker;
  /** Aborted when the client has left; the window is kept beside it. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** Media, and the name of the source that found it. */
export interface Found extends Media {
  readonly source: string;
}

/**
 * Asks the service's sources one after the other for a post's media. What a source finds, or that
 * the post has nothing, ends the search; after any other failure the next source has its turn, and
 * the failure that says most about the post is the outcome. Each source gets an equal share of what
 * is left of the window, so that a first one that hangs leaves time for the second.
 */
export async function search(options: SearchOptions): Promise<Result<Found>> {
  const { resolver, sources, signal, now } = options;
  const endMs = now() + options.settings.RESOLVE_WINDOW_MS;
  const failures: Failure[] = [];
  for (const [index, source] of sources.entries()) {
    const shareMs = (endMs - now()) / (sources.length - index);
    const turn = { name: `${resolver.service}/${source.name}`, signal };
    const found = await options.breaker(turn, () => ask(source, shareMs, options));
    if (found.ok) return success({ ...found.value, source: source.name });
    reportDrift(turn.name, found.failure, options);
    failures.push({ ...found.failure, cause: `${source.name}: ${found.failure.cause}` });
    if (isDefinitive(found.failure) || signal.aborted) break;
  }
  return mostSpecific(failures);
}

function isDefinitive({ code, tentative }: Failure): boolean {
  return code === "MEDIA_NOT_FOUND" && tentative !== true;
}

/** The one place where a change of a platform becomes visible. */
function reportDrift(
  source: string,
  { code, cause, drift }: Failure,
  { log }: SearchOptions,
): void {
  if (code !== "UPSTREAM_INVALID_RESPONSE") return;
  const { field = null, excerpt = null } = drift ?? {};
  log({ event: "drift", source, field, excerpt, cause });
}

/**
 * Its code and message are those of one failure, its cause tells all of them. A tentative verdict
 * comes behind every other one.
 */
function mostSpecific(failures: readonly Failure[]): Result<never> {
  const [first] = failures.toSorted(
    (a, b) =>
      Number(a.tentative ?? false) - Number(b.tentative ?? false) ||
      compareSpecificity(a.code, b.code),
  );
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
  const timer = setTimeout(
    () => {
      deadline.abort(new DOMException("the source's share has elapsed", "TimeoutError"));
    },
    Math.max(0, shareMs),
  );
  const signal = AbortSignal.any([options.signal, deadline.signal]);
  try {
    const { fetch, post, settings, now, log } = options;
    const { USER_AGENT: userAgent, EGRESS_URL: egressUrl } = settings;
    const upstream = openUpstream({ fetch, userAgent, egressUrl, signal });
    const finding = source.find(post, { upstream, settings, now, log });
    const found = await Promise.race([finding, ending(signal)]);
    return found.ok ? check(source, found.value, options) : found;
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return failed("UPSTREAM_ERROR", `exception: ${message}`);
  } finally {
    clearTimeout(timer);
  }
}

function ending(signal: AbortSignal): Promise<Result<never>> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(interrupted(signal));
    signal.addEventListener("abort", () => resolve(interrupted(signal)), { once: true });
  });
}

function check(source: Source, media: Media, options: SearchOptions): Result<Media> {
  const { resolver, settings, maxResults } = options;
  const origins = source.mediaOrigins?.(settings) ?? [];
  return checkMedia(media, { domains: resolver.mediaDomains, origins, maxResults });
}
