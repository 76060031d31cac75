import { compareSpecificity } from "../contract/errors.ts";
import { type Failure, failed, type Result, success } from "../contract/result.ts";
import { type TurnOptions, takeTurn } from "./attempt.ts";
import type { Breaker } from "./breaker.ts";
import { checkMedia } from "./media-check.ts";
import { parsePostUrl } from "./post-url.ts";
import type { Media, Post, Resolver, Source } from "./resolver.ts";

export interface SearchOptions extends TurnOptions {
  readonly resolver: Resolver;
  readonly post: Post;
  readonly maxResults: number;
  /** Leaves out, for a while, a source that keeps failing. */
  readonly breaker: Breaker;
}

/** Media, and the name of the source that found it. */
export interface Found extends Media {
  readonly source: string;
}

/**
 * Asks the service's sources one after the other for a post's media. What a source finds, or that
 * the post has nothing, ends the search; after any other failure the next source has its turn, and
 * the failure that says most about the post is the outcome. Each source gets an equal share of what
 * is left of the window, so that a first one that hangs leaves time for the second; following a short
 * link to its post comes before and takes such a share as well.
 */
export async function search(options: SearchOptions): Promise<Result<Found>> {
  const { resolver, signal, now } = options;
  const { sources } = resolver;
  const endMs = now() + options.settings.RESOLVE_WINDOW_MS;
  const located = await locate((endMs - now()) / (sources.length + 1), options);
  if (!located.ok) return located;
  const post = located.value;
  const failures: Failure[] = [];
  for (const [index, source] of sources.entries()) {
    const shareMs = (endMs - now()) / (sources.length - index);
    const turn = { name: `${resolver.service}/${source.name}`, signal };
    const found = await options.breaker(turn, () => ask(source, shareMs, { ...options, post }));
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

/** The post itself, or the one that its short link stands for. */
async function locate(shareMs: number, options: SearchOptions): Promise<Result<Post>> {
  const { post, resolver } = options;
  const { locate: follow } = resolver;
  if (!post.isShortLink || follow === undefined) return success(post);
  const read = (url: string) => parsePostUrl(url, resolver);
  return takeTurn(shareMs, options, (tools) => follow(post, { ...tools, read }));
}

/** One source's turn, and what it may let out. */
async function ask(
  source: Source,
  shareMs: number,
  options: SearchOptions,
): Promise<Result<Media>> {
  const found = await takeTurn(shareMs, options, (tools) => source.find(options.post, tools));
  return found.ok ? check(source, found.value, options) : found;
}

function check(source: Source, media: Media, options: SearchOptions): Result<Media> {
  const { resolver, settings, maxResults } = options;
  const origins = source.mediaOrigins?.(settings) ?? [];
  return checkMedia(media, { domains: resolver.mediaDomains, origins, maxResults });
}
