import { type Result, success } from "../contract/result.ts";
import type { Answer } from "../upstream/answer.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import type { Breaker } from "./breaker.ts";
import { type Contender, type Finish, hedge } from "./hedge.ts";
import { limitMs, waitMs } from "./hedge-delay.ts";
import { checkMedia } from "./media-check.ts";
import { parsePostUrl } from "./post-url.ts";
import type { Media, Post, Resolver, Source, SourceTools } from "./resolver.ts";
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
  /** Notes in the request's log line that it was hedged. */
  readonly note: (hedging: Hedging) => void;
}

interface Run extends SearchOptions, AttemptOptions {
  /** When the window ends, in milliseconds since 1970. */
  readonly endMs: number;
}

/** How a request was hedged. */
export interface Hedging {
  /** Sources that were asked because the one before was silent. */
  readonly hedges: number;
  /** Those of them that cost money. */
  readonly paid_hedges: number;
  /** Whether one of them was the first to know. */
  readonly hedge_won: boolean;
}

/** Media, and the name of the source that found them. */
export interface Found extends Media {
  readonly source: string;
}

/** What came of asking one source. */
interface Asked {
  readonly source: string;
  readonly answer: Result<Media, Miss>;
}

/**
 * Asks the service's sources for a post's media, in their order. The next one is asked when the one
 * before has failed, or has been silent for the hedge delay. The first that finds media, or knows
 * that there are none, ends the search, and the others are aborted. If all fail, the failure that
 * says most about the post is the outcome.
 *
 * Following a short link to its post comes first and takes an equal share of the window at most. All
 * of it together makes at most {@link REQUESTS_BASE} and `maxResults` upstream requests.
 */
export async function search(given: SearchOptions): Promise<Result<Found>> {
  const { resolver, maxResults, settings, signal, now, timer } = given;
  const budget = { requestsLeft: REQUESTS_BASE + maxResults };
  const options = { ...given, budget, endMs: now() + settings.RESOLVE_WINDOW_MS };
  const located = await locate(options);
  if (!located.ok) return { ok: false, failure: verdictOf([located.failure]) };
  const run = { ...options, post: located.value };
  const contenders = resolver.sources.map((source, place) => contender(place, source, run));
  const isOver = () => signal.aborted || now() >= options.endMs;
  const finish = await hedge(contenders, { decides, isOver, now, timer });
  if (finish.hedges.length > 0) given.note(hedgingOf(finish, resolver));
  return outcomeOf(finish.outcomes, options);
}

/** The post itself, or the post behind its short link. */
async function locate(options: Run): Promise<Answer<Post>> {
  const { post, resolver } = options;
  const { locate: follow, sources } = resolver;
  if (!post.isShortLink || follow === undefined) return success(post);
  const shareMs = options.settings.RESOLVE_WINDOW_MS / (sources.length + 1);
  const read = (url: string) => parsePostUrl(url, resolver);
  return attempt(shareMs, options, (tools) => follow(post, { ...tools, read }));
}

/** The source at this place as one that may be asked, unless the breaker leaves it alone. */
function contender(place: number, source: Source, run: Run): Contender<Asked> {
  const { resolver, account, post, signal, breaker, settings, now } = run;
  const tried = { source: `${resolver.service}/${source.name}`, account, post: post.id, signal };
  const turn = () => ({ place, resolver, settings, leftMs: run.endMs - now() });
  const start = async (ending: AbortController): Promise<Asked> => {
    const find = (tools: SourceTools) => source.find(post, tools);
    const given = { ...run, patience: source.patience };
    const ask = async () =>
      checked(await attempt(limitMs(turn()), given, find, ending), source, run);
    return { source: source.name, answer: await breaker(tried, ask) };
  };
  return { delayMs: () => waitMs(turn()), start };
}

function checked(found: Answer<Media>, source: Source, run: Run): Answer<Media> {
  if (!found.ok) return found;
  const { resolver, maxResults } = run;
  const origins = source.mediaOrigins ?? [];
  return checkMedia(found.value, { domains: resolver.mediaDomains, origins, maxResults });
}

/** Finding media, or knowing that there are none, makes every other answer needless. */
function decides({ answer }: Asked): boolean {
  return answer.ok || answer.failure.kind === "notFound";
}

function hedgingOf({ hedges, winner }: Finish<Asked>, { sources }: Resolver): Hedging {
  const paid = hedges.filter((place) => sources[place]?.isPaid === true);
  const hedge_won = winner !== null && hedges.includes(winner);
  return { hedges: hedges.length, paid_hedges: paid.length, hedge_won };
}

/** The media, else the one failure that all of them make together. */
function outcomeOf(answers: readonly Asked[], run: Run): Result<Found> {
  const failures: Miss[] = [];
  for (const { source, answer } of answers) {
    if (answer.ok) continue;
    reportDrift(`${run.resolver.service}/${source}`, answer.failure, run);
    failures.push({ ...answer.failure, cause: `${source}: ${answer.failure.cause}` });
  }
  for (const { source, answer } of answers) {
    if (answer.ok) return success({ ...answer.value, source });
  }
  return { ok: false, failure: verdictOf(failures) };
}

/** The only place that reports a change of a platform. */
function reportDrift(source: string, failure: Miss, { log }: Run): void {
  if (failure.kind !== "drifted") return;
  log({ event: "drift", source, ...failure.drift, cause: failure.cause });
}
