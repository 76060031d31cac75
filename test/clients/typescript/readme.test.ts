import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as z from "zod";
import { close, listen } from "../../../infra/local/loopback.ts";
import { type Stack, startStack } from "../../../infra/local/stack.ts";
import { blocks, shell } from "../../node/pages.ts";
import { newAccount } from "./account.ts";

/** Runs the samples of the package's page as they stand there, with the package installed. */

const page = await readFile("infra/clients/typescript/README.md", "utf8");
const consumer = inject("consumer");

const stops: (() => Promise<void>)[] = [];
let stack: Stack;
let mediaUrl = "";

beforeAll(async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "image/jpeg" }).end("a photo");
  });
  stops.push(() => close(server));
  mediaUrl = await listen(server);
  stack = await startStack({ samples: true, onLog: () => undefined });
  stops.push(stack.stop);
});
afterAll(async () => {
  for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
});

/** Media hosts are not there: a module that is loaded before the sample leads to one that is. */
const MEDIA = `
const real = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input);
  return real(url.hostname.endsWith(".telesco.pe") ? process.env.MEDIA_URL : url, init);
};
`;

/** What each sample prints. The lines are sorted, since many posts come in any order. */
const PRINTED = [
  ["2 charged, 18 left", "https://cdn4.telesco.pe/file/sample-photo-101.jpg"],
  [expect.stringMatching(/^add credits: [0-9a-f-]{36}$/)],
  [
    ...["0 1", "1 MediaNotFoundError", "2 UnrecognizedUrlError"],
    ...["messenger-channel, 2 an item", "messenger-channel, 2 an item", "no post"],
  ],
  ["7 false", "the URL does not say when it ends"],
];

describe("the page of the package", () => {
  it("has samples that print what they promise", async () => {
    const samples = blocks(page, "ts");
    expect(samples).toHaveLength(PRINTED.length);
    await writeFile(join(consumer, "media.mjs"), MEDIA);
    const printed: string[][] = [];
    for (const [at, sample] of samples.entries()) {
      await writeFile(join(consumer, `sample-${at}.ts`), sample);
      const { key } = await newAccount(stack);
      const { out, error } = await shell(
        `cd ${consumer} && ${process.execPath} --import ./media.mjs sample-${at}.ts`,
        { PUBLIC_MEDIA_API_KEY: key, PUBLIC_MEDIA_BASE_URL: stack.url, MEDIA_URL: mediaUrl },
      );
      printed.push((out + error).trim().split("\n").sort());
    }
    expect(printed).toEqual(PRINTED);
    expect(await readFile(join(consumer, "medium-0"), "utf8")).toBe("a photo");
  });

  it("has commands that make and install the package", async () => {
    const [commands = ""] = blocks(page, "sh");
    const folder = join(consumer, "elsewhere");
    await mkdir(folder);
    await writeFile(join(folder, "package.json"), "{}");
    const [pack = "", install = ""] = commands.split("\n");
    const packed = await shell(`${pack} --pack-destination ${folder}`);
    expect(packed.code).toBe(0);
    expect(packed.out).toMatch(/^public-media-client-1\.0\.0\.tgz\n$/m);
    expect((await shell(`cd ${folder} && ${install} --offline`)).code).toBe(0);
  });

  it("has a configuration that starts the command of the package", async () => {
    const [shown = ""] = blocks(page, "json");
    const server = z.object({
      command: z.literal("npx"),
      args: z.tuple([z.string()]),
      env: z.record(z.string(), z.string()),
    });
    const configuration = z
      .object({ mcpServers: z.object({ "public-media": server }) })
      .parse(JSON.parse(shown));
    const { command, args } = configuration.mcpServers["public-media"];
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const started = `cd ${consumer} && (echo '${ping}'; sleep 1) | ${command} --offline ${args[0]}`;
    const { out } = await shell(started, configuration.mcpServers["public-media"].env);
    expect(JSON.parse(out)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});
