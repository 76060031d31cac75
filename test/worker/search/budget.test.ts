import { describe, expect, it } from "vitest";
import { success } from "../../../src/contract/result.ts";
import { MAX_RESULTS_LIMIT } from "../../../src/contract/schemas.ts";
import { timer } from "../../../src/runtime/timer.ts";
import type { Post, Resolver, Source } from "../../../src/search/resolver.ts";
import { REQUESTS_BASE, search } from "../../../src/search/search.ts";
import { sourceFailed } from "../../../src/upstream/answer.ts";
import { noBreaker } from "../../support/replies.ts";
import { testSettings } from "../../support/settings.ts";

const POST: Post = {
  id: "1",
  owner: null,
  isShortLink: true,
  url: new URL("https://platform.example/1"),
};
const REQUEST = { url: "https://platform.example/", hosts: ["platform.example"], maxBytes: 9 };

/** Asks so many times, whatever the answer, and fails. */
const greedy = (times: number): Source["find"] => {
  return async (_post, { upstream }) => {
    const replies = await Promise.all(Array.from({ length: times }, () => upstream(REQUEST)));
    return replies.find((reply) => !reply.ok) ?? sourceFailed("nothing");
  };
};

/** What came of it, and how many requests the platform got. */
async function asking(maxResults: number, answer: () => Response, times: readonly number[]) {
  let asked = 0;
  const fetch: typeof globalThis.fetch = async () => {
    asked += 1;
    return answer();
  };
  const resolver: Resolver = {
    service: "pinboard",
    multiplier: 1,
    shapes: [],
    places: [],
    mediaDomains: ["platform.example"],
    locate: async (post, { upstream }) => {
      for (let hop = 0; hop < 2; hop++) await upstream({ ...REQUEST, maxRedirects: 0 });
      return success({ ...post, isShortLink: false });
    },
    hedgeDelayMs: 1_000,
    sources: times.map((count, at) => ({ name: `s${at}`, find: greedy(count) })),
  };
  const { signal } = new AbortController();
  const given = { resolver, post: POST, account: "test", maxResults, fetch, signal, timer };
  const settings = testSettings().search;
  const rest = { settings, breaker: noBreaker, now: () => 0, log: () => {}, note: () => {} };
  return { found: await search({ ...given, ...rest }), asked };
}

const there = () => new Response("there");
const again = () => new Response(null, { status: 302, headers: { location: "/" } });

describe("upstream requests of one client's request", () => {
  it.each([1, 10, MAX_RESULTS_LIMIT])("end at their bound, for %i results", async (maxResults) => {
    const { asked } = await asking(maxResults, there, [3, 30, 30]);
    expect(asked).toBe(REQUESTS_BASE + maxResults);
  });

  it("are at most 7 for one result", async () => {
    expect((await asking(1, there, [85])).asked).toBe(7);
  });

  it("are counted with their redirects", async () => {
    const { asked } = await asking(1, again, [85]);
    expect(asked).toBe(7);
  });

  it("are counted over all sources, the short link's among them", async () => {
    expect((await asking(1, there, [1, 1, 1])).asked).toBe(5);
    expect((await asking(1, there, [4, 4])).asked).toBe(7);
  });

  it("that are used up are neither the post's fault nor the source's", async () => {
    const { found } = await asking(1, there, [5, 1]);
    const cause = "s0: nothing; s1: no upstream requests left";
    expect(found).toMatchObject({ failure: { code: "UPSTREAM_ERROR", cause } });
  });
});
