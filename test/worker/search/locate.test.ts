import { describe, expect, it } from "vitest";
import { success } from "../../../src/contract/result.ts";
import { timer } from "../../../src/runtime/timer.ts";
import type { Media, Post, Resolver, Source } from "../../../src/search/resolver.ts";
import { search } from "../../../src/search/search.ts";
import { type Answer, inconclusive, notFound, sourceFailed } from "../../../src/upstream/answer.ts";
import { noBreaker } from "../../support/replies.ts";
import { testSettings } from "../../support/settings.ts";

const LINK: Post = {
  id: "code",
  owner: null,
  isShortLink: true,
  url: new URL("https://short.example/code"),
};
const FOUND: Post = { ...LINK, id: "1", isShortLink: false };

const MEDIA: Media = {
  items: [{ type: "image", url: "https://media.platform.example/a" }],
  metadata: { title: null, author: null, caption: null },
};

type Locate = NonNullable<Resolver["locate"]>;

/** The outcome, and the posts that the one source was asked for. */
async function searching(
  locate: Locate | undefined,
  post = LINK,
  other: { windowMs?: number } = {},
) {
  const asked: Post[] = [];
  const find: Source["find"] = async (located): Promise<Answer<Media>> => {
    asked.push(located);
    return success(MEDIA);
  };
  const resolver: Resolver = {
    service: "pinboard",
    multiplier: 1,
    shapes: [],
    places: [{ hosts: /^platform\.example$/, paths: [/^\/(?<id>\d)$/] }],
    mediaDomains: ["platform.example"],
    hedgeDelayMs: 1_000,
    sources: [{ name: "a", find }],
    ...(locate === undefined ? {} : { locate }),
  };
  const settings = testSettings({ RESOLVE_WINDOW_MS: other.windowMs ?? 5_000 }).search;
  const given = {
    account: "test",
    resolver,
    post,
    settings,
    fetch,
    maxResults: 1,
    now: Date.now,
    timer,
  };
  const options = { ...given, log: () => {}, note: () => {}, breaker: noBreaker };
  return { asked, found: await search({ ...options, signal: new AbortController().signal }) };
}

describe("search follows a short link", () => {
  it("once, and asks the sources for the post that it stands for", async () => {
    const links: Post[] = [];
    const { asked, found } = await searching(async (post) => {
      links.push(post);
      return success(FOUND);
    });
    expect(found.ok).toBe(true);
    expect(links).toEqual([LINK]);
    expect(asked).toEqual([FOUND]);
  });

  it("with the rules for submitted addresses at hand", async () => {
    const { asked } = await searching(async (_post, { read }) => {
      expect(read("https://platform.example/%31")).toMatchObject({ ok: false });
      expect(read("https://user@platform.example/1")).toMatchObject({ ok: false });
      const found = read("https://platform.example/1/");
      return found.ok ? found : inconclusive("not read");
    });
    expect(asked).toMatchObject([{ id: "1", isShortLink: false }]);
  });

  it("and asks no source when that fails", async () => {
    const gone = await searching(async () => notFound("leads nowhere"));
    expect(gone).toEqual({
      asked: [],
      found: { ok: false, failure: { code: "MEDIA_NOT_FOUND", cause: "leads nowhere" } },
    });
    const broken = await searching(() => {
      throw new Error("bug");
    });
    expect(broken.found).toMatchObject({ failure: { code: "UPSTREAM_ERROR" } });
    expect(broken.asked).toEqual([]);
  });

  it("within its share of the window", async () => {
    const { asked, found } = await searching(() => new Promise(() => {}), LINK, { windowMs: 100 });
    expect(found).toMatchObject({ failure: { code: "UPSTREAM_TIMEOUT" } });
    expect(asked).toEqual([]);
  });

  it("only where the post is one, and the resolver knows how", async () => {
    const never: Locate = async () => sourceFailed("asked");
    expect((await searching(never, FOUND)).asked).toEqual([FOUND]);
    expect((await searching(undefined)).asked).toEqual([LINK]);
  });
});
