import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { close, listen } from "../../../infra/local/loopback.ts";
import { keyOf, startDev } from "./dev-command.ts";

const TEST_WITHIN_MS = 120_000;
const folders: string[] = [];

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pmrs-dev-"));
  folders.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** The processes that run now, without ended ones that nobody has waited for. */
async function running(): Promise<readonly { pid: number; parent: number }[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,stat="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, , state = ""]) => !state.startsWith("Z"))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** The process ids below one process, at this moment. */
async function descendants(of: number | undefined): Promise<readonly number[]> {
  const processes = await running();
  const below = (top: number | undefined): number[] =>
    processes.flatMap(({ pid, parent }) => (parent === top ? [pid, ...below(pid)] : []));
  return below(of);
}

function expectEnded(pids: readonly number[]): Promise<void> {
  const left = async () => (await running()).filter(({ pid }) => pids.includes(pid));
  return expect.poll(left, { timeout: 10_000 }).toEqual([]);
}

function resolvePost(url: string, key: string) {
  return fetch(`${url}/v1/resolve`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
  });
}

const isWindows = process.platform === "win32";

describe.skipIf(isWindows)("npm run dev", { timeout: TEST_WITHIN_MS, concurrent: true }, () => {
  test("serves until Ctrl-C, then leaves nothing, and goes on from its state", async () => {
    const folder = await makeFolder();
    const first = startDev(folder, "--port", "0", "--samples", "--fresh");
    const url = await first.ready;
    expect(first.lines.at(-1)).toBe(`Ready on ${url}`);
    expect(first.lines.some((line) => line.startsWith(`curl ${url}/v1/resolve`))).toBe(true);
    expect((await fetch(`${url}/nothing-here`)).status).toBeGreaterThanOrEqual(200);
    const processes = await descendants(first.child.pid);
    expect(processes.length).toBeGreaterThan(0);
    expect(await readdir(folder)).toContain("stack.json");

    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(0);
    await expectEnded(processes);
    expect(await readdir(folder)).not.toContain("stack.json");
    const again = createServer();
    expect(await listen(again, Number(new URL(url).port))).toBe(url);
    await close(again);

    const second = startDev(folder, "--port", "0", "--samples");
    await second.ready;
    expect(keyOf(second.lines)).toBe(keyOf(first.lines));
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
  });

  test("refuses a folder in use and a port in use, each in one sentence", async () => {
    const folder = await makeFolder();
    const first = startDev(folder, "--port", "0");
    const url = await first.ready;
    const second = await startDev(folder, "--port", "0").ended;
    expect(second).toEqual({ code: 1, lines: [expect.stringContaining(`running on ${url}`)] });
    const { port } = new URL(url);
    const third = await startDev(folder, "--port", port).ended;
    expect(third).toEqual({ code: 1, lines: [expect.stringContaining(`Port ${port} cannot`)] });
    first.child.kill("SIGINT");
    await first.ended;
  });

  test("killed outright, takes its runtime along and hinders no later start", async () => {
    const folder = await makeFolder();
    const first = startDev(folder, "--port", "0");
    await first.ready;
    const processes = await descendants(first.child.pid);
    first.child.kill("SIGKILL");
    await first.ended;
    await expectEnded(processes);

    const second = startDev(folder, "--port", "0");
    const reply = await resolvePost(await second.ready, keyOf(first.lines));
    expect(reply.status).not.toBe(401);
    second.child.kill("SIGINT");
    expect((await second.ended).code).toBe(0);
  });
});
