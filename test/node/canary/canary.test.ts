import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { readList } from "../../../infra/canary/list.ts";
import { type SampleGateway, startSampleGateway } from "../../../infra/local/sample-gateway.ts";

const summarySchema = z.object({ rows: z.array(z.unknown()), fallen: z.array(z.string()) });

const lineSchema = z.looseObject({ media: z.array(z.unknown()) });
const historySchema = z.looseObject({ at: z.string() });

const POST = "https://x.com/sample_account/status/";

describe("the list", () => {
  it("has service, URL and what is right on each line", () => {
    const list = ` # mine\n\nmicroblog ${POST}1\r\nmicroblog ${POST}2 4\nmicroblog ${POST}3 MEDIA_NOT_FOUND\n`;
    const service = "microblog";
    expect(readList(list)).toEqual([
      { number: 3, service, url: `${POST}1`, expected: null },
      { number: 4, service, url: `${POST}2`, expected: 4 },
      { number: 5, service, url: `${POST}3`, expected: "MEDIA_NOT_FOUND" },
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

  it("says which lines are wrong and since when, also to CI systems, and what files open", async () => {
    const [history, xml] = [join(folder, "history.jsonl"), join(folder, "junit.xml")];
    const list = `microblog ${POST}1900000000000000102 3\nmicroblog ${POST}1900000000000000502`;
    const args = ["--history", history, "--junit", xml];
    const first = await canary(list, ...args);
    const junit = await readFile(xml, "utf8");
    expect(junit).toContain('<testsuite name="microblog" tests="2" failures="2"');
    expect(junit).toContain("image of pbs.twimg.com: server: status 502");
    const { out, error, code } = await canary(list, ...args, "--json", "--media-urls");
    expect([first.code, code]).toEqual([1, 1]);
    expect(first.out).toContain("\n  expected 3 items, got 4 items from syndication\n");
    expect(first.out).toContain("\n  drift in syndication: field __typename: ");
    expect(first.out).toContain("\nFiles: 4; 0 open for a server, a page can show 0.\n");
    expect(first.out).toMatch(/\nmicroblog: wrong since [\d-]+ [\d:]+ UTC, never seen right\.\n$/);
    expect(first.out + junit).not.toMatch(/pbs\.twimg\.com\//);
    const { lines } = z.object({ lines: z.array(lineSchema) }).parse(JSON.parse(out));
    const begun = historySchema.parse(
      JSON.parse((await readFile(history, "utf8")).split("\n")[0] ?? ""),
    );
    const wrong = { right: false, since: begun.at, last_right: null };
    expect(lines).toMatchObject([
      { ...wrong, number: 1, expected: 3, got: { code: "OK", items: 4, source: "syndication" } },
      {
        ...wrong,
        number: 2,
        got: { code: "UPSTREAM_INVALID_RESPONSE", drift: { field: "__typename" } },
      },
    ]);
    expect(lines[0]?.media).toHaveLength(4);
    expect(lines[0]?.media[0]).toMatchObject({
      ...{ host: "pbs.twimg.com", url: expect.stringContaining("/media/SAMPLEphoto0001.jpg") },
      server: { status: 502, problems: ["status 502"] },
    });
    // The only thing on standard error is the source's drift, in one line for people.
    expect(error).toMatch(/^[\d:]{8} drift {2}source=microblog\/syndication .*\n$/);
  });

  it("asks for no file with --no-media, and shows nothing that the runtime prints", async () => {
    const before = missing.length;
    const list = `microblog ${POST}1900000000000000102 4`;
    const { out, error, code } = await canary(list, "--no-media");
    expect({ error, code, asked: missing.length - before }).toEqual({
      error: "",
      code: 0,
      asked: 0,
    });
    expect(out).not.toContain("Media");
    // Nothing listens there: the runtime complains at length.
    const alone = await canary(list, "--var", "EGRESS_URL:http://127.0.0.1:1/");
    expect({ error: alone.error, code: alone.code }).toEqual({ error: "", code: 1 });
    expect(alone.out).toContain("UPSTREAM_ERROR, network: ");
  });

  it("ends with 1 and one sentence when it cannot run", async () => {
    expect(await canary("nothing")).toMatchObject({
      code: 1,
      error: 'Line 1: "nothing" is no service.\n',
    });
    const wrong = await canary(GOOD, "--var", "SOURCES:microblog=web");
    expect(wrong.code).toBe(1);
    expect(wrong.error).toContain('configuration: SOURCES: microblog: "web" is no source');
    const list = join(folder, "list.txt");
    expect(await canary(GOOD, "--history", list)).toMatchObject({
      code: 1,
      error: `${list}, line 1: this is no run of the canary. Name another file for --history.\n`,
    });
    const share = await canary(GOOD, "--threshold", "90");
    expect(share).toMatchObject({ code: 1, error: expect.stringContaining("from 0 to 1") });
  });
});
