import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scripts } from "../manifest.ts";
import { makeFolder } from "./exports.ts";

/** Runs the commands of finance's README as they are, except for the folder. */

const readme = await readFile("infra/finance/README.md", "utf8");
const execute = promisify(execFile);

let home: Awaited<ReturnType<typeof makeFolder>>;
beforeAll(async () => {
  home = await makeFolder();
});
afterAll(() => home.remove());

function blocks(language: string): string[] {
  const found = readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"));
  return [...found].map(([, block = ""]) => block.trim());
}

/** Runs `npm run [--silent] <script> -- <arguments>`, without the time that npm takes. */
function run(command: string, ...more: string[]) {
  const [, script = "", rest = ""] = /^npm run (?:--silent )?([\w:]+) -- (.*)$/.exec(command) ?? [];
  const file = scripts[script]?.replace(/^node /, "") ?? "";
  const here = rest.replaceAll(".local", home.folder).split(" ");
  return execute(process.execPath, [file, ...here, ...more]);
}

describe("finance's README", () => {
  it("shows the real output of its commands", async () => {
    const commands = blocks("sh");
    const [shown = ""] = blocks("text");
    const generating = commands.find((line) => line.includes("ledger:generate")) ?? "";
    const reconciling = commands.find((line) => line.includes("reconcile")) ?? "";
    await run(generating);
    const { stdout } = await run(reconciling);
    expect(stdout.trim()).toBe(shown);
    const html = await readFile(join(home.folder, "out", "report.html"), "utf8");
    expect(html).toContain("<h1>Credits in October 2026</h1>");
    const [key = "", ...closing] =
      commands.find((block) => block.includes("seal"))?.split("\n") ?? [];
    await run(key);
    for (const line of closing) expect((await run(line)).stdout).toMatch(/BALANCED|unchanged/);
  }, 180_000);

  it("shows the real amounts of its prices", async () => {
    const [, shown = ""] = blocks("text");
    const valuing = blocks("sh").find((line) => line.includes("--prices")) ?? "";
    const { stdout } = await run(valuing);
    expect(stdout).toContain(shown);
    const files = await readdir(join(home.folder, "out"));
    expect(files).toEqual(
      expect.arrayContaining(["journal.csv", "deferred.csv", "revenue.csv", "prices.toml"]),
    );
    expect(await readdir(join(home.folder, "out", "statements"))).toHaveLength(2 * 600);
  }, 180_000);

  it("names commands and options that exist", async () => {
    const [exporting = ""] = blocks("sh");
    const { stdout } = await run(exporting, "--help");
    const named = [...readme.matchAll(/ledger export (.*)/g)].join(" ").match(/--[a-z]+/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    for (const option of named) expect(stdout).toContain(`  ${option} `);
    for (const [, script = ""] of readme.matchAll(/npm run (?:--silent )?([\w:]+)/g)) {
      expect(Object.keys(scripts)).toContain(script);
    }
  });
});
