import type { Service } from "../../src/contract.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { parsePostUrl } from "../../src/resolvers/post-url.ts";
import { RESOLVERS } from "../../src/resolvers/registry.ts";
import type { Media, Post } from "../../src/resolvers/resolver.ts";
import { search } from "../../src/resolvers/search.ts";
import type { Result } from "../../src/result.ts";
import { timer } from "../service.ts";
import { testSettings } from "../settings.ts";

/** @throws Error for a URL that the service does not accept */
export function postAt(url: string, service: Service): Post {
  const post = parsePostUrl(url, RESOLVERS[service]);
  if (!post.ok) throw new Error(post.failure.cause);
  return post.value;
}

/** Resolves a post as the service does, with the platform's answers given. */
export function resolve(post: Post, service: Service, answer: (url: string) => Response) {
  const fetch: typeof globalThis.fetch = async (input) => answer(new Request(input).url);
  const signal = new AbortController().signal;
  const settings = testSettings({ RESOLVE_WINDOW_MS: 10_000 });
  const options = { fetch, signal, settings, maxResults: 20, now: Date.now, timer };
  return search({ ...options, resolver: RESOLVERS[service], post });
}

/** Type and file name of each item, or the code of the failure. */
export function summary(found: Result<Media>): readonly string[] | ErrorCode {
  if (!found.ok) return found.failure.code;
  return found.value.items.map(({ type, url }) => `${type} ${fileName(url)}`);
}

export function fileName(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}
