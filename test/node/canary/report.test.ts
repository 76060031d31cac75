import { DOMParser, onWarningStopParsing } from "@xmldom/xmldom";
import { describe, expect, test } from "vitest";
import { junit } from "../../../infra/canary/junit.ts";
import { fallen, report } from "../../../infra/canary/report.ts";
import { show } from "../../../infra/canary/show.ts";
import { judge } from "../../../infra/canary/verdict.ts";
import { answerOf, foundBy, lineOf, refusedBy } from "./verdicts.ts";

const NOON = new Date("2026-11-21T12:00:00.000Z");
const OPTIONS = { urls: "list", threshold: 0.9, media: true } as const;

const drift = { field: "mediaDetails", excerpt: '{"photos":[]}' };
const DRIFTED = refusedBy("syndication", {
  ...{ code: "UPSTREAM_INVALID_RESPONSE", cause: "unexpected JSON" },
  drift,
});

/** A right line, a wrong number of items, a change of a platform, a wrong code. */
const LOOKED = [
  { line: lineOf(1, { expected: 2 }), answer: answerOf(foundBy("syndication", 2)), media: [] },
  {
    line: lineOf(2, { expected: 3 }),
    answer: answerOf(refusedBy("cobalt"), foundBy("syndication", 1)),
    media: [],
  },
  { line: lineOf(3), answer: answerOf(DRIFTED), media: [] },
  {
    line: lineOf(4, { service: "pinboard", expected: "MEDIA_NOT_FOUND" }),
    answer: answerOf(foundBy("resource", 1)),
    media: [],
  },
  { line: lineOf(5), answer: answerOf(), media: [] },
] as const;

test("the report counts by service and by source", () => {
  const line = lineOf(1, { expected: 2 });
  const service = "microblog";
  const rows = report([
    { line, answer: answerOf(refusedBy("a"), foundBy("b", 2, 30)) },
    { line, answer: answerOf(foundBy("a", 1, 5)) },
    { line, answer: answerOf(foundBy("a", 2, 9)) },
  ]);
  expect(rows).toEqual([
    { service, source: "", tried: 3, right: 2, wrong: { OK: 1 }, median_ms: 9, max_ms: 30 },
    {
      ...{ service, source: "a", tried: 3, right: 1 },
      ...{ wrong: { UPSTREAM_ERROR: 1, OK: 1 }, median_ms: 9, max_ms: 10 },
    },
    { service, source: "b", tried: 1, right: 1, wrong: {}, median_ms: 30, max_ms: 30 },
  ]);
  expect(fallen(rows, 0.66)).toEqual([]);
  expect(fallen(rows, 0.67)).toEqual(["microblog"]);
});

describe("the wrong lines", () => {
  test("say what was expected, what came, why, from whom, and what has changed", () => {
    const shown = show(judge(LOOKED, { threshold: 0.9, history: null, at: NOON }), OPTIONS);
    const [wrong] = shown.split("\n\n");
    expect(wrong).toBe(
      [
        "Wrong lines",
        "Line 2: microblog https://x.com/sample_account/status/2",
        "  expected 3 items, got 1 item from syndication",
        "  cobalt: UPSTREAM_ERROR, status 503",
        "Line 3: microblog https://x.com/sample_account/status/3",
        "  expected media, got UPSTREAM_INVALID_RESPONSE: The request could not be completed.",
        "  syndication: UPSTREAM_INVALID_RESPONSE, unexpected JSON",
        '  drift in syndication: field mediaDetails: {"photos":[]}',
        "Line 5: microblog https://x.com/sample_account/status/5",
        "  expected media, got UPSTREAM_REJECTED: This service has no source.",
        "  no source",
        "Line 4: pinboard https://x.com/sample_account/status/4",
        "  expected MEDIA_NOT_FOUND, got 1 item from resource",
      ].join("\n"),
    );
    expect(shown).not.toContain("status/1\n");
  });

  test("say since when, and when they were last right, as the services do", () => {
    const options = { threshold: 0.9, at: NOON };
    const good = LOOKED.map((one) => ({ ...one, answer: answerOf(foundBy("x", 3)) }));
    const first = judge(good, { ...options, history: { file: "h", runs: [] } });
    const at = new Date("2026-11-21T12:30:00.000Z");
    const second = judge(LOOKED, { ...options, at, history: { file: "h", runs: [first.run] } });
    const shown = show(second, OPTIONS);
    expect(shown).toContain("wrong since 2026-11-21 12:30 UTC, last right 2026-11-21 12:00 UTC");
    expect(shown).toContain("\npinboard: wrong since 2026-11-21 12:00 UTC, never seen right.");
  });

  test("are absent when every line is right", () => {
    const [right] = LOOKED;
    const shown = show(judge([right], { threshold: 0.9, history: null, at: NOON }), OPTIONS);
    expect(shown).not.toContain("Wrong lines");
    expect(shown).toContain("No service is under 90 % right.");
  });
});

describe("the JUnit file", () => {
  const parse = (xml: string) =>
    new DOMParser({ onError: onWarningStopParsing }).parseFromString(xml, "text/xml");

  test("has a suite for each service, a case for each line, and each failure", () => {
    const { verdicts } = judge(LOOKED, { threshold: 0.9, history: null, at: NOON });
    const document = parse(junit(verdicts, NOON));
    const suites = [...document.getElementsByTagName("testsuite")].map((suite) => ({
      name: suite.getAttribute("name"),
      tests: suite.getAttribute("tests"),
      failures: suite.getAttribute("failures"),
      timestamp: suite.getAttribute("timestamp"),
      cases: suite.getElementsByTagName("testcase").length,
    }));
    const timestamp = "2026-11-21T12:00:00";
    expect(suites).toEqual([
      { name: "microblog", tests: "4", failures: "3", timestamp, cases: 4 },
      { name: "pinboard", tests: "1", failures: "1", timestamp, cases: 1 },
    ]);
    const [first, second] = document.getElementsByTagName("failure");
    expect(first?.getAttribute("message")).toBe("expected 3 items, got 1 item from syndication");
    expect(second?.getAttribute("type")).toBe("UPSTREAM_INVALID_RESPONSE");
    expect(second?.textContent).toContain('field mediaDetails: {"photos":[]}');
  });

  test("stays well-formed whatever the texts hold, and says them", () => {
    const nasty = `<a b="1" c='2'>&amp;]]> \u0000\u0008\ud800\ufffe\u0085 "quotes"\ttab\r\n😀`;
    const answer = answerOf(refusedBy("x", { cause: nasty }));
    const line = lineOf(1, { url: "https://x.com/?a=1&b=<\"'>" });
    const { verdicts } = judge([{ line, answer, media: [] }], {
      ...{ threshold: 0.9, history: null, at: NOON },
    });
    const document = parse(junit(verdicts, NOON));
    const [testCase] = document.getElementsByTagName("testcase");
    expect(testCase?.getAttribute("name")).toBe(`1: ${line.url}`);
    const said = document.getElementsByTagName("failure")[0]?.textContent ?? "";
    expect(said).toContain(`<a b="1" c='2'>&amp;]]> ????`);
    expect(said).toContain('"quotes"\ttab');
    expect(said).toContain("😀");
  });
});
