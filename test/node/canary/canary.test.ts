import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { readList } from "../../../infra/canary/list.ts";
import { fallen, report, type Try } from "../../../infra/canary/report.ts";
import { type SampleGateway, startSampleGateway } from "../../../infra/local/sample-gateway.ts";

const summarySchema = z.object({ rows: z.array(z.unknown()), fallen: z.array(z.string()) });

const POST = "https://x.com/sample_account/status/";

describe("the list", () => {
  it("has service, URL and what is right on each line", () => {
    const list = ` # mine\n\nmicroblog ${POST}1\r\nmicroblog ${POST}2 4\nmicroblog ${POST}3 MEDIA_NOT_FOUND\n`;
    const service = "microblog";
    expect(readList(list)).toEqual([
      { service, url: `${POST}1`, expected: null },
      { service, url: `${POST}2`, expected: 4 },
      { service, url: `${POST}3`, expected: "MEDIA_NOT_FOUND" },
    ]);
  });

  it.each([
    ["", "The list is empty."],
    ["# x\nmyspace https://a.example/", 'Line 2: "myspace" is no service.'],
    ["microblog x.com", 'Line 1: "x.com" is no URL.'],
    [`microblog ${POST}1 0`, 'Line 1: "0" is neither a number nor a code.'],
    [`microblog ${POST}1 constructor`, 'Line 1: "constructor" is neither a number nor a code.'],
    [`microblog ${POST}1 1 2`, "Line 1: there is more than service, URL and expectation."],
  ])("that is wrong says where: %j", (list, why) => {
    expect(() => readList(list)).toThrow(why);
  });
});

it("the report counts by service and by source", () => {
  const line = { service: "microblog", url: POST, expected: 2 } as const;
  const whole = (code: "OK" | "UPSTREAM_ERROR", items: number, durationMs: number) => ({
    code,
    items,
    durationMs,
  });
  const tries: Try[] = [
    {
      line,
      answer: {
        whole: whole("OK", 2, 30),
        sources: [
          { source: "a", ...whole("UPSTREAM_ERROR", 0, 10) },
          { source: "b", ...whole("OK", 2, 20) },
        ],
      },
    },
    {
      line,
      answer: { whole: whole("OK", 1, 5), sources: [{ source: "a", ...whole("OK", 1, 5) }] },
    },
    {
      line,
      answer: { whole: whole("OK", 2, 9), sources: [{ source: "a", ...whole("OK", 2, 9) }] },
    },
  ];
  const service = "microblog";
  const rows = report(tries);
  expect(rows).toEqual([
    { service, source: "", tried: 3, right: 2, wrong: { OK: 1 }, median_ms: 9, max_ms: 30 },
    {
      service,
      source: "a",
      tried: 3,
      right: 1,
      wrong: { UPSTREAM_ERROR: 1, OK: 1 },
      median_ms: 9,
      max_ms: 10,
    },
    { service, source: "b", tried: 1, right: 1, wrong: {}, median_ms: 20, max_ms: 20 },
  ]);
  expect(fallen(rows, 0.66)).toEqual([]);
  expect(fallen(rows, 0.67)).toEqual(["microblog"]);
});

describe("the command", () => {
  let folder: string;
  let gateway: SampleGateway;
  const missing: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "canary-"));
    const onMissing = (target: string) => void missing.push(target);
    gateway = await startSampleGateway({ folder: "infra/local/samples", onMissing });
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true });
  });

  async function canary(list: string, ...args: string[]) {
    const file = join(folder, "list.txt");
    await writeFile(file, list);
    const given = ["infra/canary/main.ts", "--urls", file, "--egress", gateway.url, ...args];
    const child = spawn(process.execPath, given);
    const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { out, error, code };
  }

  const GOOD = [
    `microblog ${POST}1900000000000000102 4`,
    `microblog ${POST}1900000000000000104 MEDIA_NOT_FOUND`,
    "photo-feed-highlight https://www.instagram.com/stories/highlights/17900000000000201/ 3",
    "messenger-channel https://t.me/sample_channel/110",
  ].join("\n");

  it("resolves through the service's own code in its runtime and sums up", async () => {
    const { out, code } = await canary(GOOD, "--json", "--var", "HIKERAPI_KEY:sample");
    const { rows, fallen } = summarySchema.parse(JSON.parse(out));
    const times = { median_ms: expect.any(Number), max_ms: expect.any(Number) };
    const right = (service: string, source: string, tried = 1) => ({
      ...{ service, source, tried, right: tried, wrong: {} },
      ...times,
    });
    expect({ code, fallen }).toEqual({ code: 0, fallen: [] });
    expect(rows).toEqual([
      ...[right("microblog", "", 2), right("microblog", "syndication", 2)],
      ...[right("photo-feed-highlight", ""), right("photo-feed-highlight", "hikerapi")],
      ...[right("messenger-channel", ""), right("messenger-channel", "embed")],
    ]);
  });

  it("ends with 1 when a service falls under the threshold, and says which", async () => {
    const list = `${GOOD}\nmicroblog ${POST}1900000000000000102 3\nmicroblog ${POST}42`;
    const args = ["--var", "HIKERAPI_KEY:sample", "--threshold"];
    const low = await canary(list, ...args, "0.6");
    expect(low.code).toBe(1);
    expect(low.out).toContain("OK 1, UPSTREAM_ERROR 1");
    expect(low.out).toContain("\nmicroblog: under 60 % right.");
    expect(missing.at(-1)).toContain("id=42&");
    const high = await canary(list, ...args, "0.5");
    expect(high.code).toBe(0);
    expect(high.out).toContain("No service is under 50 % right.");
  });

  it("ends with 1 and one sentence when it cannot run", async () => {
    expect(await canary("nothing")).toMatchObject({
      code: 1,
      error: 'Line 1: "nothing" is no service.\n',
    });
    const wrong = await canary(GOOD, "--var", "SOURCES:microblog=web");
    expect(wrong.code).toBe(1);
    expect(wrong.error).toContain('configuration: SOURCES: microblog: "web" is no source');
    const share = await canary(GOOD, "--threshold", "90");
    expect(share).toMatchObject({ code: 1, error: expect.stringContaining("from 0 to 1") });
  });
});
