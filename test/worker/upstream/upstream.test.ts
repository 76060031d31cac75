import { describe, expect, inject, it } from "vitest";
import { timer } from "../../../src/runtime/timer.ts";
import { PATIENCE } from "../../../src/upstream/patience.ts";
import {
  openUpstream,
  type UpstreamOptions,
  type UpstreamReply,
  type UpstreamRequest,
  unexpectedStatus,
} from "../../../src/upstream/upstream.ts";

const REQUEST: UpstreamRequest = {
  url: "https://a.example/post",
  hosts: ["a.example", "b.example"],
  maxBytes: 100,
};

/** A fetch with these answers in order. It records the requests. */
function scripted(...answers: readonly (() => Response | Promise<Response>)[]) {
  const asked: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(new Request(input, init));
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error(`nothing scripted for ${asked.at(-1)?.url}`);
    return answer();
  };
  return { asked, fetch };
}

const never = new AbortController().signal;

const open = (options: Partial<UpstreamOptions>) =>
  openUpstream({
    ...{ fetch, userAgent: "test/1", egressUrl: null, signal: never },
    ...{ budget: { requestsLeft: 100 }, timer, patience: PATIENCE },
    ...options,
  });

const redirect = (location: string, status = 302) =>
  new Response("left unread", { status, headers: { location } });

describe("openUpstream", () => {
  it("hands back status, headers, body and address of the answer", async () => {
    const { asked, fetch } = scripted(
      () => new Response("grün", { status: 404, headers: { "x-a": "1" } }),
    );
    const reply = await open({ fetch })(REQUEST);
    expect(reply).toMatchObject({ ok: true, value: { status: 404, body: "grün" } });
    expect(reply.ok && reply.value.headers.get("x-a")).toBe("1");
    expect(reply.ok && reply.value.url.href).toBe(REQUEST.url);
    expect(asked[0]?.redirect).toBe("manual");
    expect(asked[0]?.headers.get("user-agent")).toBe("test/1");
  });

  it("lets a request set its own user agent, method and body", async () => {
    const { asked, fetch } = scripted(() => new Response("ok"));
    const headers = { "User-Agent": "own/1" };
    await open({ fetch })({ ...REQUEST, method: "POST", body: "b", headers });
    expect(asked[0]?.headers.get("user-agent")).toBe("own/1");
    expect(asked[0]?.method).toBe("POST");
    expect(await asked[0]?.text()).toBe("b");
  });

  it.each([
    "http://a.example/",
    "https://evil.example/",
    "https://a.example.evil.example/",
    "https://sub.a.example/",
    "https://a.example:8443/",
    "https://user@a.example/",
    "https://:secret@a.example/",
    "file:///etc/passwd",
    "nonsense",
  ])("asks nothing of %s", async (url) => {
    const { asked, fetch } = scripted();
    const reply = await open({ fetch })({ ...REQUEST, url });
    expect(reply).toMatchObject({ failure: { kind: "drifted" } });
    expect(asked).toEqual([]);
  });

  it("asks the origin that the operator has configured, and no other like it", async () => {
    const operatorOrigin = "http://127.0.0.1:9000";
    const given = { ...REQUEST, operatorOrigin };
    const { asked, fetch } = scripted(
      () => redirect("/b"),
      () => new Response("there"),
    );
    const reply = await open({ fetch })({ ...given, url: "http://127.0.0.1:9000/a" });
    expect(reply).toMatchObject({ value: { body: "there" } });
    for (const url of [
      "blob:http://127.0.0.1:9000/1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
      "http://127.0.0.1/",
      "https://127.0.0.1:9000/",
      "http://u@127.0.0.1:9000/",
    ]) {
      const refused = await open({ fetch })({ ...given, url });
      expect(refused).toMatchObject({ failure: { kind: "drifted" } });
    }
    expect(asked).toHaveLength(2);
  });

  it("asks no more than its budget allows, redirects included", async () => {
    const { asked, fetch } = scripted(
      () => redirect("/b"),
      () => redirect("/c"),
      () => new Response("there"),
    );
    const upstream = open({ fetch, budget: { requestsLeft: 2 } });
    const none = { failure: { kind: "inconclusive", cause: "no upstream requests left" } };
    expect(await upstream(REQUEST)).toMatchObject(none);
    expect(await upstream(REQUEST)).toMatchObject(none);
    expect(asked).toHaveLength(2);
  });

  it("follows two redirects within the list, the second relative to the first", async () => {
    const { asked, fetch } = scripted(
      () => redirect("https://b.example/one/two"),
      () => redirect("../three", 307),
      () => new Response("there"),
    );
    const reply = await open({ fetch })(REQUEST);
    expect(asked.map(({ url }) => url)).toEqual([
      "https://a.example/post",
      "https://b.example/one/two",
      "https://b.example/three",
    ]);
    expect(reply).toMatchObject({ value: { body: "there" } });
    expect(reply.ok && reply.value.url.href).toBe("https://b.example/three");
  });

  it("hands back the redirect after the last that it may follow", async () => {
    const { asked, fetch } = scripted(
      () => redirect("/1"),
      () => redirect("/2"),
      () => redirect("/3"),
    );
    const reply = await open({ fetch })(REQUEST);
    expect(reply).toMatchObject({ value: { status: 302, body: "" } });
    expect(asked).toHaveLength(3);
    const none = scripted(() => redirect("/1"));
    await open({ fetch: none.fetch })({ ...REQUEST, maxRedirects: 0 });
    expect(none.asked).toHaveLength(1);
  });

  it.each([
    "https://login.example/",
    "http://a.example/",
    "//evil.example/",
    "https://a.example:444/",
    "https://a.example@evil.example/",
    "https://user:secret@a.example/",
    "javascript:alert(1)",
    "https://",
  ])("hands back a redirect to %s in place of following it", async (location) => {
    const { asked, fetch } = scripted(() => redirect(location));
    const reply = await open({ fetch })(REQUEST);
    expect(reply).toMatchObject({ value: { status: 302, body: "" } });
    expect(reply.ok && reply.value.headers.get("location")).toBe(location);
    expect(asked).toHaveLength(1);
  });

  it("hands back a redirect to nowhere", async () => {
    const { asked, fetch } = scripted(() => new Response(null, { status: 301 }));
    expect(await open({ fetch })(REQUEST)).toMatchObject({ value: { status: 301, body: "" } });
    expect(asked).toHaveLength(1);
  });

  it("follows no redirect of a POST", async () => {
    const { asked, fetch } = scripted(() => redirect("/next", 307));
    await open({ fetch })({ ...REQUEST, method: "POST", body: "b" });
    expect(asked).toHaveLength(1);
  });

  it("cancels the body of a redirect", async () => {
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
    };
    const body = new ReadableStream({ cancel });
    const headers = { location: "/next" };
    const { fetch } = scripted(
      () => new Response(body, { status: 302, headers }),
      () => new Response("ok"),
    );
    await open({ fetch })(REQUEST);
    expect(isCancelled).toBe(true);
  });

  it("gives up a body over the cap as invalid, and cancels the rest", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => stream.enqueue(new Uint8Array(64)),
      cancel: () => {
        isCancelled = true;
      },
    });
    const reply = await open({ fetch: scripted(() => new Response(body)).fetch })(REQUEST);
    expect(reply).toMatchObject({
      failure: { kind: "drifted", cause: "body over 100 bytes" },
    });
    expect(isCancelled).toBe(true);
    const full = scripted(() => new Response("x".repeat(100)));
    expect(await open({ fetch: full.fetch })(REQUEST)).toMatchObject({ ok: true });
  });

  it("joins characters whose bytes come in two pieces", async () => {
    const [first, ...rest] = new TextEncoder().encode("ü");
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        stream.enqueue(new Uint8Array([first ?? 0]));
        stream.enqueue(new Uint8Array(rest));
        stream.close();
      },
    });
    const reply = await open({ fetch: scripted(() => new Response(body)).fetch })(REQUEST);
    expect(reply).toMatchObject({ value: { body: "ü" } });
  });

  describe.each(["chunks", "bytes"])("a body that is a stream of %s", (kind) => {
    const stream = () => {
      const seen = { pulls: 0, isCancelled: false };
      const pull = (to: { enqueue: (chunk: Uint8Array) => void }) => {
        to.enqueue(new TextEncoder().encode(`${seen.pulls++};`));
      };
      const cancel = () => {
        seen.isCancelled = true;
      };
      const body =
        kind === "bytes"
          ? new ReadableStream({ type: "bytes", pull, cancel }, { highWaterMark: 0 })
          : new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 });
      return { body, seen };
    };

    it("is read up to where the request says, and cancelled", async () => {
      const { body, seen } = stream();
      const pieces: string[] = [];
      const isWhole = (piece: string) => pieces.push(piece) === 3;
      const { fetch } = scripted(() => new Response(body));
      const reply = await open({ fetch })({ ...REQUEST, isWhole });
      expect(reply).toMatchObject({ value: { body: "0;1;2;" } });
      expect(pieces).toEqual(["0;", "1;", "2;"]);
      expect(seen).toEqual({ pulls: 3, isCancelled: true });
    });
  });

  it("tells each piece of a long body once, in order, and without breaking characters", async () => {
    const text = "aé€😀".repeat(50_000);
    const pieces: string[] = [];
    const isWhole = (piece: string) => {
      pieces.push(piece);
      return false;
    };
    const { fetch } = scripted(() => new Response(text));
    const reply = await open({ fetch })({ ...REQUEST, isWhole, maxBytes: 1_000_000 });
    expect(reply.ok && reply.value.body === text).toBe(true);
    expect(pieces.join("") === text).toBe(true);
    expect(pieces.length).toBeGreaterThan(5);
  });

  it("counts the bytes of a body even where it is whole before its end", async () => {
    const { fetch } = scripted(() => new Response("x".repeat(101)));
    expect(await open({ fetch })({ ...REQUEST, isWhole: () => true })).toMatchObject({
      failure: { kind: "drifted", cause: "body over 100 bytes" },
    });
  });

  it("says error for a failing connection, without the address in the cause", async () => {
    const { fetch } = scripted(() => {
      throw new TypeError("cannot reach https://a.example/post?token=1 today");
    });
    expect(await open({ fetch })(REQUEST)).toEqual({
      ok: false,
      failure: { kind: "sourceFailed", cause: "network: cannot reach <url> today" },
    });
  });

  it("says error for a body that breaks off", async () => {
    const body = new ReadableStream({ pull: (stream) => stream.error(new Error("lost")) });
    const reply = await open({ fetch: scripted(() => new Response(body)).fetch })(REQUEST);
    expect(reply).toMatchObject({ failure: { kind: "sourceFailed", cause: "network: lost" } });
  });

  it("says timeout for a body that stalls until the deadline", async () => {
    const deadline = new AbortController();
    const pull = () => {
      deadline.abort(new DOMException("late", "TimeoutError"));
      return new Promise<void>(() => {});
    };
    // Only the reader pulls it, after the headers.
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const { asked, fetch } = scripted(() => new Response(body));
    const reply = await open({ fetch, signal: deadline.signal })(REQUEST);
    expect(asked).toHaveLength(1);
    expect(reply).toMatchObject({ failure: { kind: "sourceTimedOut" } });
  });

  it("asks nothing once the client has left", async () => {
    const { asked, fetch } = scripted();
    const reply = await open({ fetch, signal: AbortSignal.abort() })(REQUEST);
    expect(reply).toMatchObject({ failure: { kind: "inconclusive", cause: "aborted" } });
    expect(asked).toEqual([]);
  });
});

describe("openUpstream through a gateway, over real connections", () => {
  const egressUrl = inject("hostileUrl");
  const ask = (path: string, timeoutMs = 5000) =>
    open({ egressUrl, signal: AbortSignal.timeout(timeoutMs) })({
      ...REQUEST,
      url: `https://a.example${path}`,
      maxBytes: 10_000,
      headers: { "x-own": "1" },
    });

  it("passes target, method and headers, and keeps the gateway's own query", async () => {
    const reply = await ask("/echo?a=1&b=%20#c");
    expect(reply.ok && JSON.parse(reply.value.body)).toMatchObject({
      method: "GET",
      headers: { "user-agent": "test/1", "x-own": "1" },
      query: [
        ["key", "a b"],
        ["url", "https://a.example/echo?a=1&b=%20#c"],
      ],
    });
    expect(reply.ok && reply.value.url.host).toBe("a.example");
  });

  it("follows the target's redirects itself", async () => {
    const reply = await ask("/moved");
    expect(reply.ok && JSON.parse(reply.value.body)).toMatchObject({
      target: "https://a.example/echo?moved",
    });
    expect(await ask("/wall")).toMatchObject({ value: { status: 302 } });
  });

  it("says error for a body shorter than its declared length", async () => {
    expect(await ask("/truncated")).toMatchObject({ failure: { kind: "sourceFailed" } });
  });

  it("answers at once where a body hangs after what the request needs", async () => {
    const url = "https://a.example/hangs";
    const request = { ...REQUEST, url, isWhole: (piece: string) => piece.endsWith("answer.") };
    const reply = await open({ egressUrl, signal: AbortSignal.timeout(5000) })(request);
    expect(reply).toMatchObject({ value: { status: 200, body: "the whole answer." } });
    expect(await ask("/hangs", 60)).toMatchObject({ failure: { kind: "sourceTimedOut" } });
  });

  it.each(["/silent", "/headers-only"])("says timeout for %s", async (path) => {
    expect(await ask(path, 60)).toMatchObject({ failure: { kind: "sourceTimedOut" } });
  });
});

describe("unexpectedStatus", () => {
  const of = (status: number, headers: Record<string, string> = {}) => {
    const url = new URL(REQUEST.url);
    const reply: UpstreamReply = { status, headers: new Headers(headers), body: "", url };
    const result = unexpectedStatus(reply);
    return result.ok ? null : result.failure;
  };

  it.each([
    [401, "sourceRefused"],
    [403, "sourceRefused"],
    [429, "sourceRefused"],
    [302, "sourceRefused"],
    [408, "sourceTimedOut"],
    [504, "sourceTimedOut"],
    [500, "sourceFailed"],
    [503, "sourceFailed"],
    [400, "drifted"],
    [418, "drifted"],
    [204, "drifted"],
  ])("takes %i for %s", (status, kind) => {
    expect(of(status)).toMatchObject({ kind, cause: expect.stringContaining(`status ${status}`) });
  });

  it("carries the provider's seconds with failures that may pass", () => {
    expect(of(503, { "retry-after": "30" })).toMatchObject({ retryAfterSeconds: 30 });
    expect(of(504, { "retry-after": "0" })).toMatchObject({ retryAfterSeconds: 1 });
    expect(of(503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" })).not.toHaveProperty(
      "retryAfterSeconds",
    );
    expect(of(429, { "retry-after": "30" })).not.toHaveProperty("retryAfterSeconds");
  });

  it("names a redirect's host and nothing else of it", () => {
    expect(of(302, { location: "https://login.example/?next=secret" })?.cause).toBe(
      "status 302 to login.example",
    );
    expect(of(302, { location: "/login?next=secret" })?.cause).toBe("status 302 to its own host");
    expect(of(302)?.cause).toBe("status 302 to nowhere");
  });
});
