import { describe, expect, it } from "vitest";
import { success } from "../../../src/contract/result.ts";
import { timer } from "../../../src/runtime/timer.ts";
import { type Breaker, openBreaker } from "../../../src/search/breaker.ts";
import type { Media, Post, Resolver, Source } from "../../../src/search/resolver.ts";
import { type SearchOptions, search } from "../../../src/search/search.ts";
import {
  type Answer,
  maybeNotFound,
  notApplicable,
  notFound,
  type Refusal,
  refused,
  sourceFailed,
  sourceRefused,
  sourceTimedOut,
} from "../../../src/upstream/answer.ts";
import { drifted } from "../../../src/upstream/drift.ts";
import { testSettings } from "../../support/settings.ts";
import { createVirtualTime } from "../../support/virtual-time.ts";

const POST: Post = {
  id: "1",
  owner: null,
  isShortLink: false,
  url: new URL("https://platform.example/1"),
};

const image = (name: string) =>
  ({ type: "image", url: `https://media.platform.example/${name}` }) as const;

const media = (...items: Media["items"]) =>
  success<Media>({ items, metadata: { title: null, author: null, caption: null } });

/** A source with one answer. It counts how often it was asked. */
function source(name: string, answer: () => Answer<Media> | Promise<Answer<Media>>) {
  const asked: Post[] = [];
  const find: Source["find"] = async (post) => {
    asked.push(post);
    return answer();
  };
  return { name, find, asked };
}

const failing = (name: string, fail: (cause: string) => Refusal, cause = "why") =>
  source(name, () => fail(cause));

const hanging = (name: string) => source(name, () => new Promise(() => {}));

const windowOf = (windowMs: number) => ({ ...testSettings().search, RESOLVE_WINDOW_MS: windowMs });

function options(sources: readonly Source[], other: Partial<SearchOptions> = {}): SearchOptions {
  const resolver: Resolver = {
    service: "pinboard",
    multiplier: 1,
    shapes: [],
    places: [],
    mediaDomains: ["platform.example"],
    hedgeDelayMs: 1_000,
    sources,
  };
  return {
    resolver,
    breaker: openBreaker({ now: () => 0, log: () => {} }),
    log: () => {},
    note: () => {},
    post: POST,
    account: "test",
    maxResults: 10,
    settings: windowOf(5_000),
    fetch,
    signal: new AbortController().signal,
    now: () => 0,
    timer,
    ...other,
  };
}

/** A search whose time moves only as far as somebody waits. */
function inVirtualTime(
  sources: readonly Source[],
  resolver: Partial<Resolver> = {},
  other: Partial<SearchOptions> = {},
) {
  const time = createVirtualTime();
  const given = options(sources, { now: time.now, timer: time.timer, ...other });
  return { time, options: { ...given, resolver: { ...given.resolver, ...resolver } } };
}

describe("search asks sources", () => {
  it("rejects when the service has none", async () => {
    const message = "no source configured for this service";
    const failure = { code: "UPSTREAM_REJECTED", message, cause: message };
    expect(await search(options([]))).toEqual({ ok: false, failure });
  });

  it("ends with the first that finds something", async () => {
    const second = failing("second", sourceFailed);
    const found = await search(options([source("first", () => media(image("a"))), second]));
    expect(found).toMatchObject({ value: { items: [image("a")] } });
    expect(second.asked).toEqual([]);
  });

  it("goes on after a failure, but not after a definitive one", async () => {
    const second = source("second", () => media(image("a")));
    expect(await search(options([failing("first", sourceRefused), second]))).toMatchObject({
      ok: true,
    });
    const third = source("third", () => media(image("a")));
    expect(await search(options([failing("first", notFound), third]))).toMatchObject({
      failure: { code: "MEDIA_NOT_FOUND", cause: "first: why" },
    });
    expect(third.asked).toEqual([]);
  });

  it("reports the failure that says most, and the causes of all", async () => {
    const sources = [
      failing("a", sourceTimedOut, "late"),
      failing("b", sourceRefused, "status 403"),
      failing("c", sourceFailed, "status 500"),
    ];
    expect(await search(options(sources))).toMatchObject({
      failure: { code: "UPSTREAM_REJECTED", cause: "a: late; b: status 403; c: status 500" },
    });
  });

  it("keeps the seconds after which a repetition may succeed", async () => {
    const busy = source("a", () => sourceFailed("x", { retryAfterSeconds: 7 }));
    expect(await search(options([busy]))).toMatchObject({ failure: { retryAfterSeconds: 7 } });
  });

  it("takes an exception for an error of that source alone", async () => {
    const broken = source("broken", () => {
      throw new Error("bug");
    });
    expect(await search(options([broken]))).toMatchObject({
      failure: { code: "UPSTREAM_ERROR", cause: "broken: exception: bug" },
    });
    expect(await search(options([broken, source("b", () => media(image("a")))]))).toMatchObject({
      ok: true,
    });
  });

  it("asks the next one when one is silent for the hedge delay", async () => {
    const { options: given, time } = inVirtualTime([
      hanging("first"),
      source("second", () => media(image("a"))),
    ]);
    expect(await time.runUntil(search(given))).toMatchObject({ value: { source: "second" } });
    expect(time.elapsedMs()).toBe(1_000);
    expect(time.pending()).toBe(0);
  });

  it("leaves each a share of the window where hedging is off", async () => {
    const sources = [hanging("first"), source("second", () => media(image("a")))];
    const { options: given, time } = inVirtualTime(sources, { hedgeDelayMs: 0 });
    expect(await time.runUntil(search(given))).toMatchObject({ value: { source: "second" } });
    expect(time.elapsedMs()).toBe(2_500);
  });

  it("gives the last source no more than what is left of the window", async () => {
    const { options: given, time } = inVirtualTime([failing("a", sourceFailed), hanging("b")]);
    expect(await time.runUntil(search(given))).toMatchObject({
      failure: { code: "UPSTREAM_ERROR", cause: "a: why; b: no whole answer within the window" },
    });
    expect(time.elapsedMs()).toBe(5_000);
  });

  it("takes the first definitive answer, and ends a source that is still silent", async () => {
    const first = hanging("first");
    const third = source("third", () => media(image("a")));
    const sources = [first, failing("second", notFound, "gone"), third];
    const { options: given, time } = inVirtualTime(sources);
    expect(await time.runUntil(search(given))).toMatchObject({
      failure: { code: "MEDIA_NOT_FOUND", cause: "second: gone" },
    });
    expect(third.asked).toEqual([]);
  });

  it("names the failures in the order of the sources, whichever came first", async () => {
    const late = source("late", async () => {
      await new Promise<void>((wake) => void time.timer(3_000, wake));
      return sourceFailed("status 500");
    });
    const { options: given, time } = inVirtualTime([late, failing("early", sourceRefused, "403")]);
    expect(await time.runUntil(search(given))).toMatchObject({
      failure: { code: "UPSTREAM_REJECTED", cause: "late: status 500; early: 403" },
    });
  });

  it("asks one that costs money after a longer silence, and notes it", async () => {
    const paid = { ...source("paid", () => media(image("a"))), isPaid: true } as const;
    const notes: unknown[] = [];
    const note = (hedging: unknown) => void notes.push(hedging);
    const settings = windowOf(120_000);
    const given = inVirtualTime([hanging("free"), paid], {}, { note, settings });
    expect(await given.time.runUntil(search(given.options))).toMatchObject({ ok: true });
    expect(given.time.elapsedMs()).toBe(settings.PAID_HEDGE_DELAY_MS);
    expect(notes).toEqual([{ hedges: 1, paid_hedges: 1, hedge_won: true }]);
  });

  it("notes nothing when nobody was silent", async () => {
    const notes: unknown[] = [];
    const note = (hedging: unknown) => void notes.push(hedging);
    const sources = [failing("a", sourceFailed), source("b", () => media(image("a")))];
    await search(options(sources, { note }));
    expect(notes).toEqual([]);
  });

  it("stops when the client has left", async () => {
    const client = new AbortController();
    const first = source("first", () => {
      client.abort();
      return new Promise(() => {});
    });
    const second = source("second", () => media(image("a")));
    const found = await search(options([first, second], { signal: client.signal }));
    expect(found).toMatchObject({ failure: { code: "UPSTREAM_ERROR", cause: "first: aborted" } });
    expect(second.asked).toEqual([]);
  });

  it("lends each source a fetch that ends with its share", async () => {
    const stuck: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      });
    const find: Source["find"] = async (_post, { upstream }) => {
      const request = {
        url: "https://platform.example/",
        hosts: ["platform.example"],
        maxBytes: 9,
      };
      const reply = await upstream(request);
      return reply.ok ? media(image("a")) : reply;
    };
    const found = await search(
      options([{ name: "a", find }], {
        settings: windowOf(30),
        fetch: stuck,
      }),
    );
    expect(found).toMatchObject({ failure: { code: "UPSTREAM_TIMEOUT" } });
  });
});

describe("search weighs", () => {
  const tentative = (name: string) => failing(name, maybeNotFound, "perhaps");

  it("a not-found that is not sure as the least of verdicts, and asks on after it", async () => {
    const second = source("second", () => media(image("a")));
    expect(await search(options([tentative("first"), second]))).toMatchObject({ ok: true });
    const sources = [tentative("a"), failing("b", sourceTimedOut, "late")];
    expect(await search(options(sources))).toMatchObject({
      failure: { code: "UPSTREAM_TIMEOUT", cause: "a: perhaps; b: late" },
    });
  });

  it("a source that does not apply as the least of all", async () => {
    const sources = [failing("a", notApplicable, "no preview"), tentative("b")];
    expect(await search(options(sources))).toMatchObject({
      failure: { code: "MEDIA_NOT_FOUND", cause: "a: no preview; b: perhaps" },
    });
  });

  it("rejects when no source applies, and says so", async () => {
    const message = "no source of this service can resolve this kind of post";
    expect(await search(options([failing("a", notApplicable, "no preview")]))).toEqual({
      ok: false,
      failure: { code: "UPSTREAM_REJECTED", message, cause: "a: no preview" },
    });
  });

  it("it all the same, when nobody knows better", async () => {
    expect(await search(options([tentative("a")]))).toMatchObject({
      failure: { code: "MEDIA_NOT_FOUND", cause: "a: perhaps" },
    });
  });
});

describe("search says in the log", () => {
  it("where a platform's reply has changed, and nothing of other failures", async () => {
    const logs: unknown[] = [];
    const sources = [
      source("a", () => drifted("unexpected JSON", "user.name", '"name":1')),
      source("b", () => drifted("another post's reply", "id", "")),
      failing("c", sourceRefused),
    ];
    const log = (entry: unknown) => void logs.push(entry);
    await search(options(sources, { log }));
    const event = "drift";
    const changed = { field: "user.name", excerpt: '"name":1', cause: "unexpected JSON" };
    const other = { field: "id", excerpt: "", cause: "another post's reply" };
    expect(logs).toEqual([
      { event, source: "pinboard/a", ...changed },
      { event, source: "pinboard/b", ...other },
    ]);
  });
});

describe("search without a source that is left alone", () => {
  /** Leaves the sources of these names alone. */
  const pausing =
    (...names: readonly string[]): Breaker =>
    async ({ source: name }, ask) =>
      names.includes(name)
        ? { ok: false, failure: { kind: "leftAlone", cause: "paused after: status 403" } }
        : ask();

  it("goes to the next at once", async () => {
    const first = failing("first", sourceRefused);
    const sources = [first, source("second", () => media(image("a")))];
    const breaker = pausing("pinboard/first");
    expect(await search(options(sources, { breaker }))).toMatchObject({
      value: { source: "second" },
    });
    expect(first.asked).toEqual([]);
  });

  it("is an error that may pass, when it is the only one, whatever began the pause", async () => {
    const breaker = pausing("pinboard/only");
    expect(await search(options([failing("only", sourceRefused)], { breaker }))).toEqual({
      ok: false,
      failure: { code: "UPSTREAM_ERROR", cause: "only: paused after: status 403" },
    });
  });

  it.each([refused, sourceRefused, maybeNotFound, notApplicable, sourceTimedOut])(
    "takes no other source's %o for the last word",
    async (why) => {
      const breaker = pausing("pinboard/first");
      const sources = [failing("first", sourceRefused), failing("second", why)];
      expect(await search(options(sources, { breaker }))).toMatchObject({
        failure: { code: "UPSTREAM_ERROR" },
      });
    },
  );

  it("believes another source that the post is not there", async () => {
    const breaker = pausing("pinboard/first");
    const sources = [failing("first", sourceRefused), failing("second", notFound)];
    expect(await search(options(sources, { breaker }))).toMatchObject({
      failure: { code: "MEDIA_NOT_FOUND" },
    });
  });
});

describe("a source that is overtaken", () => {
  /** Searches of several accounts for several posts, all with one breaker. */
  async function overtaken(requests: number, first: Source) {
    const logs: unknown[] = [];
    const log = (entry: unknown) => void logs.push(entry);
    const breaker = openBreaker({ now: () => 0, log });
    const second = source("second", () => media(image("a")));
    const tookMs: number[] = [];
    for (let at = 0; at < requests; at++) {
      const asker = { account: `a${at % 5}`, post: { ...POST, id: `p${at}` } };
      const given = inVirtualTime([first, second], {}, { breaker, ...asker });
      await given.time.runUntil(search(given.options));
      tookMs.push(given.time.elapsedMs());
    }
    return { logs, tookMs };
  }

  it("for several accounts and posts is left alone, and the next one asked at once", async () => {
    const { logs, tookMs } = await overtaken(12, hanging("first"));
    expect(tookMs).toEqual([...Array<number>(10).fill(1_000), 0, 0]);
    expect(logs).toMatchObject([
      { event: "breaker", source: "pinboard/first", state: "opened", code: "UPSTREAM_TIMEOUT" },
    ]);
  });

  it("is not left alone when it answers now and then", async () => {
    let at = 0;
    const moody = source("first", () =>
      at++ % 9 === 8 ? media(image("a")) : new Promise(() => {}),
    );
    expect((await overtaken(40, moody)).logs).toEqual([]);
  });
});

describe("an account that asks for posts which are not to be embedded", () => {
  it("leaves the source to all others", async () => {
    const breaker = openBreaker({ now: () => 0, log: () => {} });
    for (let at = 0; at < 1_000; at++) {
      const post = { ...POST, id: `kept${at}` };
      const kept = [failing("only", refused, "not to be embedded")];
      await search(options(kept, { breaker, post, account: "hostile" }));
    }
    const only = source("only", () => media(image("a")));
    expect(await search(options([only], { breaker, account: "good" }))).toMatchObject({ ok: true });
  });

  it("or on which the source fails, as well", async () => {
    const breaker = openBreaker({ now: () => 0, log: () => {} });
    for (let at = 0; at < 1_000; at++) {
      const post = { ...POST, id: `bad${at}` };
      await search(
        options([failing("only", sourceRefused)], { breaker, post, account: "hostile" }),
      );
    }
    const only = source("only", () => media(image("a")));
    expect(await search(options([only], { breaker, account: "good" }))).toMatchObject({ ok: true });
  });
});

describe("search lets out", () => {
  const of = async (found: Answer<Media>, other: Partial<SearchOptions> = {}) => {
    const result = await search(options([source("a", () => found)], other));
    return result.ok ? result.value : result.failure;
  };

  it("media of the platform's own hosts alone, over https", async () => {
    const found = media(
      image("a"),
      { type: "image", url: "http://media.platform.example/b" },
      { type: "image", url: "https://evilplatform.example/c" },
      { type: "image", url: "https://platform.example.evil.example/d" },
      { type: "image", url: "https://platform.example@evil.example/e" },
      { type: "image", url: "data:image/png;base64,AA==" },
      { type: "image", url: "//media.platform.example/f" },
      { type: "video", url: "https://platform.example/g" },
    );
    expect(await of(found)).toMatchObject({
      items: [image("a"), { type: "video", url: "https://platform.example/g" }],
    });
  });

  it("none with a port or a user name", async () => {
    const found = media(
      { type: "image", url: "https://media.platform.example:8443/a" },
      { type: "image", url: "https://user@media.platform.example/b" },
      image("c"),
    );
    expect(await of(found)).toMatchObject({ items: [image("c")] });
  });

  it("media of the server that the operator has configured for the source, as it is", async () => {
    const tunnel = { type: "video", url: "http://127.0.0.1:9000/tunnel?id=1" } as const;
    const found = media(
      tunnel,
      { type: "video", url: "http://127.0.0.1:9001/tunnel" },
      { type: "video", url: "https://127.0.0.1:9000/tunnel" },
      { type: "video", url: "http://user@127.0.0.1:9000/tunnel" },
      image("c"),
    );
    const mediaOrigins = ["http://127.0.0.1:9000"];
    const given = options([{ ...source("a", () => found), mediaOrigins }]);
    expect(await search(given)).toMatchObject({ value: { items: [tunnel, image("c")] } });
  });

  it("the name of the source that has found it", async () => {
    const sources = [failing("a", sourceFailed), source("b", () => media(image("a")))];
    expect(await search(options(sources))).toMatchObject({ value: { source: "b" } });
  });

  it("each URL once, at its first place, and no more than were asked for", async () => {
    const found = media(image("a"), image("b"), image("a"), image("c"), image("d"));
    expect(await of(found, { maxResults: 3 })).toMatchObject({
      items: [image("a"), image("b"), image("c")],
    });
  });

  it("not found, when nothing is left", async () => {
    expect(await of(media())).toMatchObject({ code: "MEDIA_NOT_FOUND" });
  });

  it("an invalid response, when all that was found lies elsewhere", async () => {
    expect(await of(media({ type: "image", url: "https://evil.example/a?sig=b" }))).toMatchObject({
      code: "UPSTREAM_INVALID_RESPONSE",
      cause: "a: 0 of 1 items on a media host",
      drift: { field: "items.url", excerpt: "evil.example" },
    });
  });

  it("trimmed metadata, null where it is empty", async () => {
    const metadata = { title: " t ", author: "", caption: " \n " };
    expect(await of(success({ items: [image("a")], metadata }))).toMatchObject({
      metadata: { title: "t", author: null, caption: null },
    });
  });
});
