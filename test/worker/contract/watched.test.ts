import { describe, expect, it } from "vitest";
import { problemsOf } from "../../contract/problems.ts";
import { takeSeen } from "../../contract/watch.ts";
import { startService, watched } from "../../support/service.ts";

/** A response of the service, taken apart. */
async function answerOf(path = "/v1/resolve", init: RequestInit = { method: "POST" }) {
  const { send } = await startService();
  const response = await send(path, init);
  const { status, headers } = response;
  return { method: init.method ?? "GET", status, headers, body: await response.text() };
}

type Answer = Awaited<ReturnType<typeof answerOf>>;

function withHeader({ headers }: Answer, name: string, value: string | null): Headers {
  const others = new Headers(headers);
  if (value === null) others.delete(name);
  else others.set(name, value);
  return others;
}

/** What somebody might change without a word in the document, and what is said then. */
const PLANTED: readonly [string, (answer: Answer) => Partial<Answer>, string][] = [
  ["a status", () => ({ status: 413 }), "the status 413 is not documented"],
  ["the status of another code", () => ({ status: 402 }), "does not match any of"],
  ["a header", (one) => ({ headers: withHeader(one, "X-More", "1") }), "x-more is not documented"],
  [
    "no Cache-Control",
    (one) => ({ headers: withHeader(one, "Cache-Control", null) }),
    "is missing",
  ],
  ["a scheme", (one) => ({ headers: withHeader(one, "WWW-Authenticate", "Basic") }), "www-auth"],
  [
    "a content type",
    (one) => ({ headers: withHeader(one, "Content-Type", "text/plain") }),
    "the content type is text/plain",
  ],
  [
    "a code",
    (one) => ({ body: one.body.replace("API_KEY_INVALID", "API_KEY_LOST") }),
    "does not match any of",
  ],
  ["no request id", (one) => ({ body: one.body.replace("request_id", "id") }), "request_id"],
  ["no JSON", () => ({ body: "<html>" }), "the body is not JSON"],
];

describe("a response", () => {
  it("of the service is as the document says", async () => {
    expect(problemsOf(await answerOf())).toEqual([]);
    expect(problemsOf(await answerOf("/v2"))).toEqual([]);
    expect(problemsOf(await answerOf("/v1/resolve", { method: "HEAD" }))).toEqual([]);
  });

  it.each(PLANTED)("with %s that the document does not have is seen", async (_, plant, said) => {
    const answer = await answerOf();
    const problems = problemsOf({ ...answer, ...plant(answer) });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).toContain(said);
  });
});

describe("an app of the tests", () => {
  const request = () => new Request("https://api.example.com/", { method: "POST" });

  it("has every response counted, and still readable", async () => {
    takeSeen();
    const { app, send } = await startService();
    expect(await (await app.fetch(request())).json()).toMatchObject({ code: "NOT_FOUND" });
    await send("/v1/resolve");
    expect(takeSeen()).toEqual({ responses: 2, problems: [] });
  });

  it("reports what is not documented, once", async () => {
    const { fetch } = watched({ fetch: () => new Response("gone", { status: 410 }) });
    await fetch(request());
    expect(takeSeen().problems).toEqual(["the status 410 is not documented"]);
    expect(takeSeen()).toEqual({ responses: 0, problems: [] });
  });

  // Nothing in its body fails: the set-up of every test does.
  it.fails("fails the test that received something else", async () => {
    const { fetch } = watched({ fetch: () => new Response("gone", { status: 410 }) });
    await fetch(request());
  });
});
