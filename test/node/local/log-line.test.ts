import { styleText } from "node:util";
import { describe, expect, test } from "vitest";
import { type Paint, prettyLine } from "../../../infra/local/log-line.ts";

const NOON = new Date(2026, 10, 21, 12, 0, 5);
const plain: Paint = (_format, text) => text;
const coloured: Paint = (format, text) => styleText(format, text, { validateStream: false });

const pretty = (entry: object) => prettyLine(JSON.stringify(entry), NOON, plain);

describe("a line of the log for people", () => {
  test("of a success has time, status, code, service, items, credits, source, duration", () => {
    const request = {
      ...{ event: "request", request_id: "01a2", status: 200, outcome: "OK", credits: 8 },
      ...{ service: "messenger-channel", items: 4, source: "embed", limit_ms: 9, total_ms: 32 },
    };
    expect(pretty(request)).toBe(
      "12:00:05 200 OK  messenger-channel  4 items  8 credits  embed  32 ms",
    );
  });

  test("of a failure says why, and shows nothing that is not known", () => {
    const request = { event: "request", status: 401, outcome: "API_KEY_INVALID", credits: 0 };
    expect(pretty({ ...request, cause: "no key: missing", total_ms: 1 })).toBe(
      "12:00:05 401 API_KEY_INVALID  0 credits  1 ms  no key: missing",
    );
  });

  test("of another event has its name and its fields", () => {
    expect(pretty({ event: "sweep", swept: 0, accounts: ["a", "b"] })).toBe(
      "12:00:05 sweep  swept=0  accounts=a b",
    );
  });

  test("that is no event stays as it is", () => {
    for (const line of ["no sample for https://a.example/", "{}", "null", '{"event":1}']) {
      expect(prettyLine(line, NOON, plain)).toBe(line);
    }
  });

  test.each([
    [200, 32],
    [422, 33],
    [502, 31],
  ])("has the colour of its status: %i", (status, colour) => {
    const request = { event: "request", status, outcome: "X", credits: 0, total_ms: 1 };
    const line = prettyLine(JSON.stringify(request), NOON, coloured);
    expect(line).toContain(`\u001b[${colour}m${status} X\u001b[39m`);
  });
});
