import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import {
  loadSamples,
  sampleSchema,
  startSampleGateway,
} from "../../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../../infra/local/stack.ts";

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ROWS = [
  {
    service: "microblog",
    note: "exact, with a file",
    request: { url: "https://a.example/x?id=1&q=%20" },
    reply: { status: 200, headers: { "content-type": "application/json" }, file: "x.json" },
  },
  {
    service: "microblog",
    note: "a pattern, redirected",
    request: { pattern: "https://a\\.example/moved/\\d+" },
    reply: { status: 302, headers: { location: "https://b.example/" } },
  },
  {
    service: "pinboard",
    note: "another method",
    request: { method: "HEAD", url: "https://a.example/head" },
    reply: { status: 404 },
  },
];

async function start(rows: unknown = ROWS) {
  const folder = await mkdtemp(join(tmpdir(), "pmrs-"));
  await writeFile(join(folder, "index.json"), JSON.stringify(rows));
  await writeFile(join(folder, "x.json"), '{"ä":1}');
  const missing: string[] = [];
  const gateway = await startSampleGateway({ folder, onMissing: (url) => missing.push(url) });
  stops.push(gateway.stop, () => rm(folder, { recursive: true }));
  const ask = (target: string, method = "GET") =>
    fetch(`${gateway.url}/?url=${encodeURIComponent(target)}`, { method, redirect: "manual" });
  return { ask, missing };
}

describe("the sample gateway", () => {
  test("answers as the target would: status, headers, body", async () => {
    const { ask, missing } = await start();
    const found = await ask("https://a.example/x?id=1&q=%20");
    expect([found.status, found.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await found.json()).toEqual({ ä: 1 });
    const moved = await ask("https://a.example/moved/12");
    expect([moved.status, moved.headers.get("location")]).toEqual([302, "https://b.example/"]);
    expect((await ask("https://a.example/head", "HEAD")).status).toBe(404);
    expect(missing).toEqual([]);
  });

  test("says with 502 which target has no sample", async () => {
    const { ask, missing } = await start();
    const targets = ["https://a.example/moved/12/more", "https://a.example/head"];
    for (const target of targets) {
      const reply = await ask(target);
      expect([reply.status, await reply.text()]).toEqual([502, `no sample for ${target}`]);
    }
    expect(missing).toEqual(targets);
  });
});

describe("the index of the samples", () => {
  test.each([
    { what: "a file outside the folder", reply: { status: 200, file: "../x.json" } },
    { what: "a file and a text", reply: { status: 200, file: "x.json", body: "x" } },
    { what: "an impossible status", reply: { status: 99 } },
  ])("refuses $what", ({ reply }) => {
    expect(sampleSchema.safeParse({ ...ROWS[0], reply }).success).toBe(false);
  });

  test("of the repository is in order, and so are the examples of its README", async () => {
    for (const { reply } of await loadSamples(SAMPLES_FOLDER)) {
      if ("file" in reply) await access(join(SAMPLES_FOLDER, reply.file));
    }
    const readme = await readFile(join(SAMPLES_FOLDER, "README.md"), "utf8");
    const example = /```json\n(.*?)```/s.exec(readme)?.[1] ?? "";
    expect(sampleSchema.safeParse(JSON.parse(example)).error).toBeUndefined();
  });
});
