import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The service of the guide's example. */
const SERVICE = "photo-board";

/** One thing that must work in the copy. */
export interface Check {
  readonly name: string;
  readonly words: readonly string[];
  /** What its output must have in it. */
  readonly shows: string;
}

const vitest = (...words: readonly string[]) => [
  ...["node_modules/vitest/vitest.mjs", "run", "--config", "test/vitest.config.ts"],
  ...words,
];
const tsc = (project: string) => ["node_modules/typescript/bin/tsc", "-p", project];
const MONTH = join(".local", "month");

export const TYPES: readonly Check[] = [".", "test", "infra"].map((project) => {
  return { name: `types of ${project}`, words: tsc(project), shows: "" };
});

/** Finance's month, with the new service in it and every credit accounted for. */
export const FINANCE: readonly Check[] = [
  {
    name: "an invented month",
    words: [
      ...["infra/finance/generate/main.ts", "--records", "2000", "--accounts", "100"],
      ...["--to", MONTH],
    ],
    shows: "",
  },
  {
    name: "finance's month",
    words: ["infra/finance/main.ts", MONTH, "--month", "2026-10", "--out", join(".local", "out")],
    shows: "BALANCED",
  },
  {
    name: "the service in finance's month",
    words: ["-e", "console.log(require('fs').readFileSync('.local/out/usage.csv', 'utf8'))"],
    shows: SERVICE,
  },
];

/** Everything that the guide promises, the fastest first. */
export const CHECKS: readonly Check[] = [
  ...TYPES,
  {
    name: "pages, variables and samples",
    words: vitest(
      ...["--project", "node", "--project", "pages"],
      ...["test/node/readme", "test/node/variables", "test/node/local/sample"],
      ...["-t", "lists every service|wrangler.toml|of the repository"],
    ),
    shows: "",
  },
  {
    name: "its own tests",
    words: vitest("--project", "worker", "test/worker/platforms/board"),
    shows: "",
  },
  {
    name: "its samples, damaged and sound",
    words: vitest(
      ...["--project", "worker", "test/worker/platforms/damaged", "test/worker/platforms/recorded"],
      ...["-t", `${SERVICE}|sample`],
    ),
    shows: "",
  },
  ...FINANCE,
  {
    name: "the simulation",
    words: ["test/simulation/main.ts", "--runs", "50", "--json"],
    shows: `"${SERVICE}":`,
  },
  { name: "the demonstration", words: ["infra/local/demo.ts"], shows: `${SERVICE}: two photos` },
  {
    name: "the lint",
    words: ["node_modules/@biomejs/biome/bin/biome", "check", "--vcs-enabled=false", "src", "test"],
    shows: "",
  },
];

/** Runs one check in a folder. Returns what is wrong, or null. */
export async function problemOf(folder: string, { words, shows }: Check): Promise<string | null> {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, npm_lifecycle_event: "" },
  });
  const exited = once(child, "exit");
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: unknown[] = await exited;
  if (code !== 0) return `exit code ${code}\n${(out + error).slice(-3000)}`;
  return out.includes(shows) ? null : `no ${shows} in the output\n${out.slice(-1000)}`;
}

/** The first check that fails, with its problem; null when all pass. */
export async function firstFailure(
  folder: string,
  checks: readonly Check[],
): Promise<{ readonly name: string; readonly problem: string } | null> {
  for (const check of checks) {
    const problem = await problemOf(folder, check);
    if (problem !== null) return { name: check.name, problem };
  }
  return null;
}
