import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";

/** The tests that protect the credits, fastest first. */
const SUITE: readonly (readonly string[])[] = [
  ["test/simulation/faults", "--project", "node"],
  [
    ...["test/worker/credits", "test/worker/idempotency", "test/worker/keys"],
    ...["test/worker/assemble.test.ts", "test/worker/resolve.test.ts", "--project", "worker"],
  ],
  ["test/simulation/simulation", "--project", "node"],
  ["test/simulation/main", "test/node/ops", "test/backends/dynamodb/memory", "--project", "node"],
];

/** Runs the suite up to the first failing test. Returns its name, or null if all pass. */
export async function runSuite(folder: string): Promise<string | null> {
  for (const part of SUITE) {
    const failure = await runPart(folder, part);
    if (failure !== null) return failure;
  }
  return null;
}

async function runPart(folder: string, part: readonly string[]): Promise<string | null> {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const options = ["run", "--config", "test/vitest.config.ts", "--bail", "1", ...part];
  const child = spawn(process.execPath, [vitest, ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: unknown[] = await exited;
  if (code === 0) return null;
  const failed = /FAIL\s+(.*)/.exec(stripVTControlCharacters(out + error))?.[1];
  return failed?.trim() ?? `exit code ${code}`;
}
