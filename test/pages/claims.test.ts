import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { backoffMs, retryWaitMs } from "../../infra/clients/typescript/src/resolve/retry.ts";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import {
  MAX_RESULTS_DEFAULT,
  MAX_RESULTS_LIMIT,
  SERVICES,
  URL_LIMIT_CHARACTERS,
} from "../../src/contract/schemas.ts";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import { readBody } from "../../src/http/request-body.ts";
import { DAY_MS } from "../../src/idempotency/attempt-id.ts";
import { readIdempotency } from "../../src/idempotency/idempotency-key.ts";
import { UNKNOWN_KEY_MEMORY_MS } from "../../src/keys/key-memory.ts";
import { ADDRESS_LIMIT_REQUESTS } from "../../src/limiter/address.ts";
import { LIMIT_REQUESTS, REPLAY_LIMIT } from "../../src/limiter/limiter.ts";
import { MEDIA_URL_CHARACTERS_MAX, TEXT_UNITS_MAX } from "../../src/search/media-check.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { searchSettingsSchema } from "../../src/search/settings.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import { readGuide } from "./guide.ts";

/** What the guide's tables and sentences claim, compared with the code. */

const guide = await readGuide();
const resolvers = Object.values(RESOLVERS);

function pageOf(name: string): string {
  const page = guide.find(({ path }) => path === `infra/docs/guide/${name}`);
  return page?.markdown ?? `no page ${name}`;
}

/** The rows of the tables under a heading, or of the whole page, without their heads. */
function rowsOf(page: string, heading = ""): string[][] {
  const [, part = ""] = heading === "" ? ["", page] : page.split(`\n## ${heading}\n`);
  const [section = ""] = part.split("\n## ");
  return section
    .split("\n")
    .filter((line, at, lines) => line.startsWith("| ") && !isHead(lines, at))
    .map((line) => line.slice(1, -1).split("|"))
    .map((cells) => cells.map((cell) => cell.trim()));
}

function isHead(lines: readonly string[], at: number): boolean {
  return /^\|[ :|-]+\|$/.test(lines[at] ?? "") || /^\|[ :|-]+\|$/.test(lines[at + 1] ?? "");
}

const quoted = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);

describe("the pages on errors", () => {
  const codes = Object.entries(ERRORS);

  it("are one for each code, and no other", async () => {
    const files = await readdir("infra/docs/guide/errors");
    const names = codes.map(([code]) => `${code}.md`);
    expect(files.sort()).toEqual([...names, "README.md"].sort());
  });

  it.each(codes)("tell cause, remedy and cost of %s, and show it", (code, { status }) => {
    const page = pageOf(`errors/${code}.md`);
    expect(page.split("\n")[0]).toBe(`# ${status} \`${code}\``);
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Cause", "What to do", "What it costs", "Example"]);
    const example = guide.find(({ path }) => path.endsWith(`/${code}.md`))?.blocks ?? [];
    expect(example.map(({ language }) => language)).toEqual(["sh", "json"]);
    expect(example[1]?.text).toContain(`"code": "${code}"`);
    expect(page).toMatch(/## What it costs\n\nNothing\./);
  });

  it("stand in the index with their statuses", () => {
    const rows = rowsOf(pageOf("errors/README.md"));
    const listed = rows.map(([status, link]) => `${status} ${quoted(link)[0]}`);
    expect(listed.sort()).toEqual(codes.map(([code, { status }]) => `${status} ${code}`).sort());
  });

  it("call for a retry where the service says that one may help", () => {
    const transient: readonly ErrorCode[] = [
      "RATE_LIMITED",
      "UPSTREAM_INVALID_RESPONSE",
      "UPSTREAM_ERROR",
      "UPSTREAM_TIMEOUT",
    ];
    const rows = rowsOf(pageOf("errors/README.md"));
    const yes = rows.filter(([, , retry = ""]) => retry.startsWith("yes"));
    expect(yes.map(([, link]) => quoted(link)[0])).toEqual(transient);
    for (const [code] of codes) {
      const isNo = /## What to do\n\nDo not retry/.test(pageOf(`errors/${code}.md`));
      if (isNo) expect(transient).not.toContain(code);
    }
  });
});

describe("the page on credits", () => {
  it("knows the price of each service", () => {
    const [, after = ""] = pageOf("credits.md").split("gives everything back.");
    const rows = rowsOf(after.split("\n## ")[0] ?? "");
    expect(rows.map(([service]) => quoted(service)[0])).toEqual([...SERVICES]);
    const prices = resolvers.map(({ multiplier }) => String(multiplier));
    expect(rows.map(([, price]) => price)).toEqual(prices);
  });

  it("calculates its examples as the service does", () => {
    const rows = rowsOf(pageOf("credits.md"), "Worked examples");
    expect(rows.length).toBe(5);
    for (const [service, ...numbers] of rows) {
      const price = resolvers.find((one) => one.service === quoted(service)[0])?.multiplier ?? 0;
      const [maxResults = 0, items = 0, held, charged, returned] = numbers.map(Number);
      expect([held, charged]).toEqual([maxResults * price, items * price]);
      expect(returned).toBe((maxResults - items) * price);
      expect(items).toBeLessThanOrEqual(maxResults);
    }
  });
});

describe("the page on limits", () => {
  const number = (value: number) => value.toLocaleString("en");
  const { RESOLVE_WINDOW_MS } = searchSettingsSchema.parse({ USER_AGENT: "x" });
  const windowSeconds = RESOLVE_WINDOW_MS / 1000;

  it.each([
    ["time for one resolution", `${windowSeconds} s`],
    ["your client's time-out for one attempt", `${windowSeconds + 10} s, recommended`],
    ["requests of a key", `${LIMIT_REQUESTS} a minute`],
    [
      "open requests of an account",
      `${OPEN_HOLDS_MAX} in all, ${SERVICE_OPEN_HOLDS_MAX} of one service`,
    ],
    ["requests of one client address", `${ADDRESS_LIMIT_REQUESTS} a minute`],
    ["`url`", `${number(URL_LIMIT_CHARACTERS)} characters`],
    ["`max_results`", `1 to ${MAX_RESULTS_LIMIT}; ${MAX_RESULTS_DEFAULT} if it is not given`],
    ["items of an answer", `1 to ${MAX_RESULTS_LIMIT}`],
    ["a media URL", `${number(MEDIA_URL_CHARACTERS_MAX)} characters`],
    ["`title`", `${number(TEXT_UNITS_MAX.title)} UTF-16 code units`],
    ["`author`", `${number(TEXT_UNITS_MAX.author)} UTF-16 code units`],
    ["`caption`", `${number(TEXT_UNITS_MAX.caption)} UTF-16 code units`],
    ["free repetitions under one `Idempotency-Key`", `${REPLAY_LIMIT.requests} a day`],
    [
      "a key that was tried before it was made",
      `may take ${UNKNOWN_KEY_MEMORY_MS / 1000} s to work`,
    ],
  ])("tells the code's own number: %s", (limit, value) => {
    const row = rowsOf(pageOf("limits.md")).find(([name = ""]) => name.startsWith(limit));
    expect(row?.[1]).toBe(value);
  });
});

describe("the page on limits, where a number shows in what the code does", () => {
  const table = rowsOf(pageOf("limits.md")).map(([limit, value]) => `${limit}: ${value}`);
  const json = { "content-type": "application/json" };
  const post = (body: string | ReadableStream) =>
    new Request("http://x", { method: "POST", headers: json, body, duplex: "half" });
  const messageOf = (result: Awaited<ReturnType<typeof readBody>>) =>
    result.ok ? "accepted" : result.failure.message;
  const noTimer = () => () => {};

  it("tells how large a body may be, and when it must be there", async () => {
    expect(table).toContain("body of a request: 16 KiB, complete within 10 s");
    const kibibytes = 16;
    const full = "x".repeat(kibibytes * 1024);
    expect(messageOf(await readBody(post(full), noTimer))).toBe("accepted");
    const over = messageOf(await readBody(post(`${full}x`), noTimer));
    expect(over).toBe(`body: must be at most ${kibibytes} KiB`);
    const atOnce = (_: number, end: () => void) => {
      end();
      return () => {};
    };
    const late = messageOf(await readBody(post(new ReadableStream()), atOnce));
    expect(late).toBe("body: must be complete within 10 s");
  });

  it("tells how long an Idempotency-Key may be, and is known", async () => {
    expect(table).toContain(
      `\`Idempotency-Key\`: 1 to 255 visible ASCII characters, known for ${DAY_MS / 3_600_000} hours`,
    );
    const request = {
      service: "microblog",
      url: "https://x.com/a/status/1",
      max_results: 1,
    } as const;
    const read = async (key: string) => (await readIdempotency(key, "account", request)).ok;
    expect(await read("k".repeat(255))).toBe(true);
    for (const key of ["", "k".repeat(256), "a b", "ä"]) expect(await read(key)).toBe(false);
  });

  it("tells how long Retry-After may be", async () => {
    const source = await readFile("src/http/app.ts", "utf8");
    const [, seconds = ""] = /RETRY_AFTER_MAX_SECONDS = ([\d_]+);/.exec(source) ?? [];
    expect(table).toContain(`\`Retry-After\`: at most ${seconds.replace("_", ",")} s`);
  });
});

describe("the page on URLs", () => {
  const read = (service: string | undefined, url: string) => {
    const resolver = resolvers.find((one) => one.service === service);
    if (resolver === undefined) throw new Error(`no service ${service}`);
    return parsePostUrl(url, resolver, resolvers);
  };

  it("shows every service's URLs, all accepted", () => {
    const rows = rowsOf(pageOf("urls.md"), "Accepted");
    expect(new Set(rows.map(([service]) => quoted(service)[0]))).toEqual(new Set(SERVICES));
    for (const [service, url] of rows) {
      const [text = ""] = quoted(url);
      expect({ text, ok: read(quoted(service)[0], text).ok }).toEqual({ text, ok: true });
    }
  });

  it("shows refused URLs with what the service says of them", () => {
    const rows = rowsOf(pageOf("urls.md"), "Refused");
    expect(rows.length).toBeGreaterThan(10);
    for (const [service, url, says = ""] of rows) {
      const [text = ""] = quoted(url);
      const post = read(quoted(service)[0], text);
      const message = post.ok ? "accepted" : post.failure.message;
      expect({ text, message }).toEqual({ text, message: expect.stringContaining(says) });
    }
  });
});

describe("the page on retries", () => {
  it("describes the backoff of the clients", () => {
    const most = [1, 2, 3, 4, 100].map((failures) => backoffMs(failures, 1) / 1000);
    const [first, second, third, fourth, last] = most;
    expect(pageOf("retries.md")).toContain(
      `a random time from ${backoffMs(1, 0)} to ${first} s, then to ${second} s, ${third} s, ` +
        `${fourth} s and so on, at most ${last} s`,
    );
  });

  it("tells to retry what the clients retry, and nothing else", () => {
    const told = new Map(
      rowsOf(pageOf("retries.md")).flatMap(([statuses = "", retry]) =>
        (statuses.match(/\d{3}/g) ?? []).map((status) => [Number(status), retry] as const),
      ),
    );
    for (const { status } of Object.values(ERRORS)) {
      const failing = { status, message: "", retryAfterSeconds: null, resetSeconds: null };
      const retry = retryWaitMs(failing, 1, 0) === null ? "no" : "yes";
      expect({ status, retry: told.get(status) }).toEqual({ status, retry });
    }
  });
});

describe("the page on platforms", () => {
  const services = (cell = "") => quoted(cell);

  it.each(["What comes", "How long a URL lives", "What a download needs"])(
    "speaks of every service under: %s",
    (heading) => {
      const rows = rowsOf(pageOf("platforms.md"), heading);
      expect(rows.flatMap(([cell]) => services(cell))).toEqual([...SERVICES]);
    },
  );

  it("names the media domains of each service, all of them", () => {
    for (const [cell, domains] of rowsOf(pageOf("platforms.md"), "How long a URL lives")) {
      for (const service of services(cell)) {
        const resolver = resolvers.find((one) => one.service === service);
        expect({ service, domains: quoted(domains) }).toEqual({
          service,
          domains: resolver?.mediaDomains,
        });
      }
    }
  });

  it("says where the end of a URL stands, as the clients read it", () => {
    for (const [cell, , , end = ""] of rowsOf(pageOf("platforms.md"), "How long a URL lives")) {
      const parameters = quoted(end);
      for (const service of services(cell)) {
        const expiry = resolvers.find((one) => one.service === service)?.download?.expiry ?? [];
        const found = parameters.filter((name) => {
          const url = `https://cdn.example/file?${name}=${end.includes("in hex") ? "6A49B9DA" : 1_800_000_000}`;
          return expiry.some(({ pattern }) => pattern.test(url));
        });
        expect({ service, found }).toEqual({ service, found: parameters });
        expect({ service, isNone: expiry.length === 0 }).toEqual({
          service,
          isNone: end.startsWith("none"),
        });
      }
    }
  });

  it("tells of a Referer what the clients do after a 403", () => {
    for (const [cell, server = ""] of rowsOf(pageOf("platforms.md"), "What a download needs")) {
      for (const service of services(cell)) {
        const referer = resolvers.find((one) => one.service === service)?.download?.refererAfter403;
        const [, told = null] = /`Referer: ([^`]+)`/.exec(server) ?? [];
        expect({ service, told }).toEqual({ service, told: referer ?? null });
      }
    }
  });

  it("gives a public source and a date for every fact about a platform", () => {
    for (const [, source] of rowsOf(pageOf("platforms.md"), "Where this is from")) {
      expect(source).toMatch(/\b20\d\d-\d\d\b/);
    }
  });
});
