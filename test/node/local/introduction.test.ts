import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { type Examples, loadExamples } from "../../../infra/local/examples.ts";
import { SAMPLES_FOLDER } from "../../../infra/local/stack.ts";
import { connectionSchema } from "../../../infra/tables/tables.ts";
import { ERRORS } from "../../../src/contract/errors.ts";
import { SERVICES } from "../../../src/contract/schemas.ts";
import { shell } from "../pages.ts";
import { keyOf, startDev } from "./dev-command.ts";

/** Everything that `npm run dev -- --samples` shows, tried. */

/** Posts without a sample. */
const UNKNOWN = {
  "photo-feed": "https://www.instagram.com/p/CUnknown001/",
  "photo-feed-story": "https://www.instagram.com/stories/sample_account/1/",
  "photo-feed-highlight": "https://www.instagram.com/stories/highlights/1/",
  "short-video": "https://www.tiktok.com/@sample.account/video/1",
  microblog: "https://x.com/sample_account/status/1",
  pinboard: "https://www.pinterest.com/pin/1/",
  "messenger-channel": "https://t.me/sample_channel/9",
} as const;

let folder: string;
let dev: ReturnType<typeof startDev>;
let url: string;
let key: string;
let examples: Examples;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pmrs-introduction-"));
  dev = startDev(folder, "--port", "0", "--samples", "--log", "pretty");
  url = await dev.ready;
  key = keyOf(dev.lines);
  examples = await loadExamples(SAMPLES_FOLDER);
}, 120_000);

afterAll(async () => {
  dev.child.kill("SIGINT");
  await dev.ended;
  await rm(folder, { recursive: true, force: true });
});

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body: string;
  readonly key?: string;
}

const answerSchema = z.object({ code: z.string().default("OK"), message: z.string().default("") });

async function send({ method = "POST", path = "/v1/resolve", body, key: own = key }: Sent) {
  const headers = { authorization: `Bearer ${own}`, "content-type": "application/json" };
  const answer = await fetch(`${url}${path}`, { method, headers, body });
  return { status: answer.status, ...answerSchema.parse(await answer.json()) };
}

/** The lines below a heading, up to the next empty one. */
function below(heading: string): readonly string[] {
  const rest = dev.lines.slice(dev.lines.indexOf(heading) + 2);
  return rest.slice(0, rest.indexOf(""));
}

/** The posts as they are shown: each with its service and what is promised. */
function shownPosts() {
  let service = "";
  return below("Posts that the samples answer:").flatMap((line) => {
    const [, post] = /^ {2}(\S+) /.exec(line) ?? [];
    if (post === undefined) service = line;
    const promised = /: ([A-Z_]+)$/.exec(line)?.[1] ?? "OK";
    return post === undefined ? [] : [{ body: { service, url: post }, promised }];
  });
}

const SHOWN = /^ +(\w+) (\/\S*) (\{.*\})(?: with the key (\w+))?(?: (\d+) times)?$/;

/** Sends what is shown for an error. Twice as often as a limit asks for, if two windows meet. */
async function sendShown(line: string) {
  const [, method = "", path = "", body = "", own = key, times = "1"] = SHOWN.exec(line) ?? [];
  const request = { method, path, body, key: own };
  let last = await send(request);
  const most = times === "1" ? 1 : 2 * Number(times);
  for (let sent = 1; sent < most && last.status !== 429; sent++) last = await send(request);
  return { status: last.status, code: last.code };
}

describe("npm run dev with the samples", () => {
  test("begins with the account, its key and 1,000 credits", () => {
    const account = /acct_\w+/.exec(dev.lines[0] ?? "")?.[0];
    expect(dev.lines.slice(0, 3)).toEqual([
      `Account  ${account}`,
      `Key      ${key}`,
      "Balance  1,000 credits",
    ]);
  });

  test("shows posts of every service, and each is answered as promised", async () => {
    const shown = shownPosts();
    expect(shown.length).toBe(examples.posts.length);
    expect([...new Set(shown.map(({ body }) => body.service))]).toEqual([...SERVICES]);
    for (const { body, promised } of shown) {
      const { code } = await send({ body: JSON.stringify(body) });
      expect({ body, code }).toEqual({ body, code: promised });
    }
  });

  test("shows how to get every error, and each comes", async () => {
    const lines = below("How to get each error:");
    const codes: string[] = [];
    for (let at = 0; at < lines.length; at += 2) {
      const [, status, code = ""] = /^ {2}(\d{3}) (\w+): /.exec(lines[at] ?? "") ?? [];
      expect(await sendShown(lines[at + 1] ?? "")).toEqual({ status: Number(status), code });
      codes.push(code);
    }
    expect(codes.toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  test("shows a command that adds credits", async () => {
    const command = dev.lines.find((line) => line.startsWith("npm run --silent ops -- ")) ?? "";
    const file: unknown = JSON.parse(await readFile(join(folder, "stack.json"), "utf8"));
    const { region, endpoint, credentials } = connectionSchema.parse(file);
    // Its own `--local` means the stack of `.local/`, which is another one here.
    expect(command).toContain(" --local ");
    const { out } = await shell(command.replace(" --local", " --json"), {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? "",
      AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? "",
      AWS_ENDPOINT_URL_DYNAMODB: endpoint ?? "",
    });
    expect(JSON.parse(out)).toMatchObject({ counted: true, granted: 2_000 });
  });

  test("shows a curl that works when pasted", async () => {
    const start = dev.lines.findIndex((line) => line.startsWith("curl "));
    const { out } = await shell(dev.lines.slice(start, start + 4).join("\n"));
    expect(JSON.parse(out)).toMatchObject({ ok: true, service: "microblog" });
  });

  test("tells the client of a post without a sample which posts have one, and logs it", async () => {
    for (const [service, post] of Object.entries(UNKNOWN)) {
      const own = examples.posts.filter(({ body }) => body.service === service);
      const urls = own.map(({ body }) => body.url).join(" ");
      expect(await send({ body: JSON.stringify({ service, url: post }) })).toEqual({
        status: 502,
        code: "UPSTREAM_ERROR",
        message: `There is no sample of this post. Samples of ${service}: ${urls}`,
      });
      const log = () => dev.lines.join("\n");
      await expect.poll(log).toContain(`no_sample  service=${service}  posts=${urls}`);
      expect(log()).toMatch(
        new RegExp(`^[\\d:]{8} 502 UPSTREAM_ERROR  ${service}  0 credits  \\d+ ms  `, "m"),
      );
    }
  });
});
