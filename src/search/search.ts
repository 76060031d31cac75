import { type Result, success } from "../contract/result.ts";
import type { Answer } from "../upstream/answer.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import type { Breaker } from "./breaker.ts";
import { checkMedia } from "./media-check.ts";
import { parsePostUrl } from "./post-url.ts";
import type { Media, Post, Resolver, Source } from "./resolver.ts";
import { type Miss, verdictOf } from "./verdict.ts";

/**
 * Upstream requests that one client's request may cause, beside one for each item that it may return:
 * enough for the two stops of a short link and four sources.
 */
export const REQUESTS_BASE = 6;

export interface SearchOptions extends Omit<AttemptOptions, "budget"> {
  readonly resolver: Resolver;
  readonly post: Post;
  /** Whose request it is. */
  readonly account: string;
  /** Pauses a source that keeps failing. */
  readonly breaker: Breaker;
}

type Run = SearchOptions & AttemptOptions;

/** Media, and the name of the source that found them. */
export interface Found extends Media {
  readonly source: string;
}

/**
 * Asks the service's sources one after the other for a post's media. What a source finds, or that
 * the post has nothing, ends the search. After any other failure the next source is asked, and the
 * failure that says most about the post is the outcome.
 *
 * Each source gets an equal share of what is left of the window, so that a first one that hangs
 * leaves time for the second. Following a short link to its post comes first and takes such a share.
 * All of it together makes at most {@link REQUESTS_BASE} and `maxResults` upstream requests.
 */
export async function search(given: SearchOptions): Promise<Result<Found>> {
  const options = { ...given, budget: { requestsLeft: REQUESTS_BASE + given.maxResults } };
  const { resolver, signal, now } = options;
  const { sources } = resolver;
  const endMs = now() + options.settings.RESOLVE_WINDOW_MS;
  const located = await locate((endMs - now()) / (sources.length + 1), options);
  if (!located.ok) return { ok: false, failure: verdictOf([located.failure]) };
  const post = located.value;
  const failures: Miss[] = [];
  for (const [index, source] of sources.entries()) {
    const shareMs = (endMs - now()) / (sources.length - index);
    const name = `${resolver.service}/${source.name}`;
    const ask = () => askSource(source, shareMs, { ...options, post });
    const tried = { source: name, account: options.account, post: post.id, signal };
    const found = await options.breaker(tried, ask);
    if (found.ok) return success({ ...found.value, source: source.name });
    reportDrift(name, found.failure, options);
    failures.push({ ...found.failure, cause: `${source.name}: ${found.failure.cause}` });
    if (found.failure.kind === "notFound" || signal.aborted) break;
  }
  return { ok: false, failure: verdictOf(failures) };
}

/** The only place that reports a change of a platform. */
function reportDrift(source: string, failure: Miss, { log }: Run): void {
  if (failure.kind !== "drifted") return;
  log({ event: "drift", source, ...failure.drift, cause: failure.cause });
}

/** The post itself, or the post behind its short link. */
async function locate(shareMs: number, options: Run): Promise<Answer<Post>> {
  const { post, resolver } = options;
  const { locate: follow } = resolver;
  if (!post.isShortLink || follow === undefined) return success(post);
  const read = (url: string) => parsePostUrl(url, resolver);
  return attempt(shareMs, options, (tools) => follow(post, { ...tools, read }));
}

/** One attempt at a source, and the check of what it found. */
async function askSource(source: Source, shareMs: number, options: Run): Promise<Answer<Media>> {
  const { resolver, post, maxResults } = options;
  const found = await attempt(shareMs, options, (tools) => source.find(post, tools));
  if (!found.ok) return found;
  const origins = source.mediaOrigins ?? [];
  return checkMedia(found.value, { domains: resolver.mediaDomains, origins, maxResults });
}
