import type { ErrorCode } from "../../src/contract/errors.ts";
import type { Failure, Result } from "../../src/contract/result.ts";
import type { Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import { type Breaker, openBreaker } from "../../src/search/breaker.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import type { Media, Post } from "../../src/search/resolver.ts";
import { search } from "../../src/search/search.ts";
import { orderSources } from "../../src/search/source-order.ts";
import { codeOf } from "../../src/search/verdict.ts";
import type { SourceFailure } from "../../src/upstream/answer.ts";
import { RESOLVERS } from "./resolvers.ts";
import { testSettings, type Variables } from "./settings.ts";

/** @throws Error if the service does not accept the URL */
export function postAt(url: string, service: Service): Post {
  const post = parsePostUrl(url, RESOLVERS[service]);
  if (!post.ok) throw new Error(post.failure.cause);
  return post.value;
}

/** Asks the source every time. */
export const noBreaker: Breaker = (_attempt, ask) => ask();

/** Resolves a post as the service does, with given answers of the platform. */
export function resolve(
  post: Post,
  service: Service,
  answer: (url: string, request: Request) => Response,
  variables: Variables = {},
) {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    return answer(request.url, request);
  };
  const signal = new AbortController().signal;
  const { search: settings, platforms } = testSettings({ RESOLVE_WINDOW_MS: 10_000, ...variables });
  const [now, log] = [() => 0, () => {}];
  const given = { account: "test", fetch, signal, settings, maxResults: 20, now, log, timer };
  const breaker = openBreaker(given);
  const resolvers = orderSources(createResolvers(platforms), settings.SOURCES);
  const note = () => {};
  return search({ ...given, note, breaker, resolver: resolvers[service], post });
}

/** The error code that the client gets for a failure. */
export function codeIn(failure: Failure | SourceFailure): ErrorCode {
  return "code" in failure ? failure.code : codeOf(failure.kind);
}

/** Type and file name of each item, or the failure's code. */
export function summary(
  found: Result<Media, Failure | SourceFailure>,
): readonly string[] | ErrorCode {
  if (!found.ok) return codeIn(found.failure);
  return found.value.items.map(({ type, url }) => `${type} ${fileName(url)}`);
}

export function fileName(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}
