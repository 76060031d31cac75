import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import { UNKNOWN_KEY_MEMORY_MS } from "../../src/keys/key-memory.ts";
import { ADDRESS_LIMIT_REQUESTS } from "../../src/limiter/address.ts";
import { MEDIA_URL_CHARACTERS_MAX, TEXT_UNITS_MAX } from "../../src/search/media-check.ts";
import { ACCOUNTS_TO_OPEN, POSTS_TO_OPEN, RECENT_MS } from "../../src/search/outage.ts";
import { REQUESTS_BASE } from "../../src/search/search.ts";
import { JSON_ESCAPES_MAX, JSON_VALUES_MAX } from "../../src/upstream/json.ts";
import { blocks, npmCommands, problemsOf, scripts, shell } from "./pages.ts";

/** The pages of `infra/docs` and `infra/decisions`, and what holds for every page. */

const paths = ["README.md", ...(await Promise.all(["src", "test", "infra"].map(pagesIn))).flat()];
const pages = await Promise.all(
  paths.map(async (path) => ({ path, page: await readFile(path, "utf8") })),
);

async function pagesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .map((file) => join(folder, file))
    .sort();
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  return `#${kept.trim().replaceAll(" ", "-")}`;
}

async function anchorsOf(path: string): Promise<string[]> {
  const page = await readFile(path, "utf8");
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

describe("every page", () => {
  it.each(pages)("$path links to places that exist", async ({ path, page }) => {
    for (const [, link = ""] of page.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [, file = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
      const target = file === "" ? path : join(dirname(path), file);
      expect({ link, exists: existsSync(target) }).toEqual({ link, exists: true });
      if (anchor !== "") expect(await anchorsOf(target)).toContain(anchor);
    }
  });

  it.each(pages)("$path names files that exist", ({ page }) => {
    const named = [...page.matchAll(/`((?:src|test|infra|\.ci)\/[\w./-]*)`/g)];
    // The guide's example is a service that does not exist yet.
    const files = named.map(([, file = ""]) => file).filter((file) => !/\bboard\b/.test(file));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("names only npm commands and options that exist", async () => {
    const commands = new Set(pages.flatMap(({ page }) => npmCommands(page)));
    expect(commands.size).toBeGreaterThan(20);
    const problems = await Promise.all([...commands].map(problemsOf));
    expect(problems.flat()).toEqual([]);
  }, 90_000);
});

describe("the bounds of the code", () => {
  const number = (value: number) => value.toLocaleString("en");
  const { title, author, caption } = TEXT_UNITS_MAX;
  const texts = `${title} (title), ${author} (author) and ${number(caption)} (caption)`;
  const address = `${ADDRESS_LIMIT_REQUESTS} requests a minute`;
  const media = `${number(MEDIA_URL_CHARACTERS_MAX)} characters`;
  const memory = UNKNOWN_KEY_MEMORY_MS / 1000;
  const pause = `${ACCOUNTS_TO_OPEN} accounts and ${POSTS_TO_OPEN} posts within ${RECENT_MS / 1000} s`;
  const budget = `${REQUESTS_BASE}, plus \`max_results\``;
  const values = `${number(JSON_VALUES_MAX)} values`;
  const escapes = `${number(JSON_ESCAPES_MAX)} escapes`;
  const ofService = `${SERVICE_OPEN_HOLDS_MAX} requests of one service open at once`;
  const holds = `${OPEN_HOLDS_MAX} open holds, and ${SERVICE_OPEN_HOLDS_MAX} of one service`;

  it.each([
    ["README.md", [texts, address, media, `${memory} seconds`, ofService]],
    ["infra/docs/changelog.md", [texts, address, media, `${memory} seconds`, budget]],
    [
      "infra/decisions/0006-threat-model.md",
      [texts, address, media, `remembered for ${memory} s`, pause, budget, values, holds],
    ],
    ["infra/decisions/0008-the-order-of-admission.md", [address, `${memory} s`]],
    ["infra/decisions/0009-linear-parsing.md", [values, escapes, media]],
  ])("stand in %s as they are", async (path, bounds) => {
    const page = (await readFile(path, "utf8")).replace(/\s+/g, " ");
    expect(bounds.filter((bound) => !page.includes(bound))).toEqual([]);
  });
});

describe("the page on contributing", async () => {
  const page = await readFile("infra/docs/contributing.md", "utf8");
  const lines = blocks(page, "sh").flatMap((block) => block.split("\n"));

  it("has only commands that the tests run, or that CI runs", async () => {
    const ci = await readFile(".ci/run", "utf8");
    const others = lines.filter((line) => !line.includes("--project") && !/run dev/.test(line));
    const known = (line: string) =>
      ci.includes(line) || Object.keys(scripts).includes(line.replace("npm run ", ""));
    expect(others.length).toBeGreaterThan(3);
    expect(others.filter((line) => !known(line))).toEqual([]);
  });

  it("shows how to run a part of the tests", async () => {
    const command = lines.find((line) => line.includes("--project")) ?? "";
    const { out, code } = await shell(command, { VITEST: "", NO_COLOR: "1" });
    expect({ code, ran: /Test Files +1 passed/.test(out) }).toEqual({ code: 0, ran: true });
  });

  it("shows a commit as the history has them", () => {
    const [subject = "", blank, ...body] = (blocks(page, "text")[0] ?? "").split("\n");
    expect(subject).toMatch(/^(?:feat|fix|perf|refactor|test|docs|build)\([a-z-]+\): [a-z]/);
    expect(blank).toBe("");
    expect(body.map((line) => line.split(":")[0])).toEqual(["Problem", "Change", "Checked"]);
  });
});

describe("the changelog", async () => {
  const page = await readFile("infra/docs/changelog.md", "utf8");
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);

  it("begins with what is not released, then dates every version, the newest first", () => {
    const [first, ...versions] = headings;
    expect(first).toBe("[Unreleased]");
    const dates = versions.map((version) => version?.replace(/^\[\d+\.\d+\.\d+\] - /, ""));
    expect(dates.filter((date) => !/^\d{4}-\d{2}-\d{2}$/.test(String(date)))).toEqual([]);
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  it("knows the version of the package", async () => {
    const manifest = z.object({ version: z.string() });
    const { version } = manifest.parse(JSON.parse(await readFile("package.json", "utf8")));
    expect(headings).toContainEqual(expect.stringContaining(`[${version}]`));
  });

  it("sorts changes by the kinds of Keep a Changelog", () => {
    const kinds = new Set([...page.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind));
    const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
    expect([...kinds].filter((kind) => !known.includes(String(kind)))).toEqual([]);
  });
});

/** A guide and a table of attacks: both are longer, and have another form. */
const OTHER_FORMS = ["0001-an-eighth-service.md", "0006-threat-model.md"];
const WORDS_OF_A_PAGE = 750;

describe("a decision record", () => {
  const records = pages.filter(({ path }) => /^infra\/decisions\/\d{4}-(?!log)/.test(path));
  const short = records.filter(({ path }) => !OTHER_FORMS.some((form) => path.endsWith(form)));

  it.each(short)("$path is one page: context, decision, rejected, consequences", ({ page }) => {
    const headings = [...page.matchAll(/^## (\w+)/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Context", "Decision", "Rejected", "Consequences"]);
    expect(page).toMatch(/^Status: \w+, \d{4}-\d{2}\./m);
    expect(page.split(/\s+/).length).toBeLessThanOrEqual(WORDS_OF_A_PAGE);
  });

  it("has a number of its own, the numbers without a gap", () => {
    const numbers = records.map(({ path }) => Number(path.match(/\/(\d{4})-/)?.[1]));
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  });
});

describe("the threat model", async () => {
  const page = await readFile("infra/decisions/0006-threat-model.md", "utf8");
  const named = [...page.matchAll(/`(test\/[\w./-]+)` › "([^"]+)"/g)].map(
    ([, file = "", name = ""]) => ({ file, name }),
  );

  it("names tests that exist", async () => {
    expect(named.length).toBeGreaterThan(40);
    const found = await Promise.all(
      named.map(async ({ file, name }) => ({
        test: `${file} › ${name}`,
        exists: existsSync(file) && (await readFile(file, "utf8")).includes(`"${name}"`),
      })),
    );
    expect(found.filter(({ exists }) => !exists)).toEqual([]);
  });

  it("names a test for every answer", () => {
    expect(page).not.toContain("test to name");
    const tables = page.matchAll(/^\|.*\| shown by \|\n\|[ |:-]+\|\n((?:\|.*\|\n)+)/gm);
    const rows = [...tables].flatMap(([, body = ""]) => body.trim().split("\n"));
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((row) => !/` › "[^"]+"[^|]*\|$/.test(row))).toEqual([]);
  });
});
