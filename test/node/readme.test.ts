import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startStack } from "../../infra/local/stack.ts";
import { seedDevAccount } from "../../infra/ops/seed.ts";
import { ERRORS } from "../../src/contract/errors.ts";
import { SERVICES } from "../../src/contract/schemas.ts";

/** The README's commands, samples and tables, held against the project. */

const readme = await readFile("README.md", "utf8");
const manifest = JSON.parse(await readFile("package.json", "utf8"));

function blocks(language: string): string[] {
  const found = readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"));
  return [...found].map(([, block = ""]) => block.trim());
}

async function shell(command: string, env: Record<string, string>) {
  const child = spawn("bash", ["-c", command], { env: { ...process.env, ...env } });
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, error, code };
}

describe("the README", () => {
  it("shows a request and its real answer", async () => {
    const curl = blocks("sh").find((block) => block.startsWith("curl ")) ?? "";
    const [shown = ""] = blocks("json");
    const stack = await startStack({ samples: true, onLog: () => {} });
    try {
      const { key } = await seedDevAccount(stack.connection);
      const command = curl.replace("http://127.0.0.1:8787", stack.url);
      const { out } = await shell(command, { KEY: key });
      const request_id = expect.stringMatching(/^[0-9a-f-]{36}$/);
      expect(JSON.parse(out)).toEqual({ ...JSON.parse(shown), request_id });
    } finally {
      await stack.stop();
    }
  });

  it("lists every error of the specification with its status", () => {
    const rows = [...readme.matchAll(/^\| +(\d{3}) \| `(\w+)` +\|/gm)];
    const listed = rows.map(([, status, code = ""]) => [code, Number(status)]);
    const others = ["NOT_FOUND", "METHOD_NOT_ALLOWED"];
    const known = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    const byCode = ([a]: unknown[], [b]: unknown[]) => (String(a) < String(b) ? -1 : 1);
    expect(listed.sort(byCode)).toEqual(
      known.filter(([code]) => !others.includes(String(code))).sort(byCode),
    );
  });

  it("lists every service", () => {
    const rows = [...readme.matchAll(/^\| `([a-z-]+)` +\| `.*` +\| +\d \|$/gm)];
    expect(rows.map(([, service]) => service)).toEqual([...SERVICES]);
  });

  it("names scripts, files and secrets that exist", async () => {
    const scripts = [...readme.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*[a-z])/g)].map(
      ([, name]) => name,
    );
    expect(scripts.filter((name) => !(String(name) in manifest.scripts))).toEqual([]);
    const paths = [...readme.matchAll(/`((?:src|test|infra)\/[\w./-]*)`/g)].map(([, path]) => path);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(String(path)))).toEqual([]);
    const wrangler = await readFile("wrangler.toml", "utf8");
    const secrets = [...readme.matchAll(/`((?:AWS|UPSTASH)_[A-Z_]+)`/g)].map(([, name]) => name);
    expect(secrets.filter((name) => !wrangler.includes(String(name)))).toEqual([]);
  });

  it("gives operator's commands that the tool knows", async () => {
    const commands = blocks("sh").flatMap((block) => block.match(/ops -- .*/g) ?? []);
    expect(commands.length).toBeGreaterThanOrEqual(4);
    const helps = commands.map((command) => {
      const words = command
        .replace(/^ops -- /, "")
        .split(" ")
        .slice(0, 2);
      return shell(`node infra/ops/main.ts ${words.join(" ")} --help`, {});
    });
    for (const [index, { out, code }] of (await Promise.all(helps)).entries()) {
      const options = commands[index]?.match(/--[a-z-]+/g) ?? [];
      expect(code).toBe(0);
      for (const option of options) expect(out).toContain(option);
    }
  });

  it("deploys what builds", async () => {
    const env = { WRANGLER_SEND_METRICS: "false", CI: "1" };
    const { out, code } = await shell("wrangler deploy --dry-run", env);
    expect({ code, done: out.includes("--dry-run: exiting now") }).toEqual({ code: 0, done: true });
  }, 30_000);
});
