import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../node/blocks.ts";
import { openReader, type Reader } from "./reader.ts";

/** The reader finds what is wrong with a page. */

let home: string;
let reader: Reader;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "reader-test-"));
  await mkdir(join(home, "repository", "my-app"), { recursive: true });
  reader = await openReader(join(home, "repository"));
});

afterAll(async () => {
  await reader.stop();
  await rm(home, { recursive: true });
});

/** What is wrong with each block of a page. */
async function problemsOf(...blocks: readonly (readonly [language: string, text: string])[]) {
  const page = blocks.map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\`\n`).join("\n");
  const problems: (string | null)[] = [];
  for (const block of blocksOf(`page-${Math.random()}.md`, page)) {
    problems.push(await reader.follow(block));
  }
  return problems;
}

describe("the reader of the guide", () => {
  it("is content with commands and programs whose outputs are as shown", async () => {
    const program = 'const text: string = "typed"; console.log(text);';
    const json = '{ "a":1, "request_id": "01a2001f-2557-732b-8286-e8ed3b538d10" }';
    expect(
      await problemsOf(
        ["sh", "export NAME=value"],
        ["sh", 'echo "$NAME"'],
        ["text", "value"],
        ["ts", program],
        ["text", "typed"],
        ["sh", `echo '{"a":1,"request_id":"01b2001f-2557-732b-8286-e8ed3b538d11"}'`],
        ["json", json],
      ),
    ).toEqual([null, null, null, null, null, null, null]);
  });

  it.each([
    ["another output", ["sh", "echo one"], ["text", "two"]],
    ["another number", ["sh", "echo 'X-Credits-Charged: 2'"], ["text", "X-Credits-Charged: 1"]],
    ["another field", ["sh", `echo '{"a":1,"b":2}'`], ["json", '{"a":1}']],
    ["an answer that is no JSON", ["sh", "echo oops"], ["json", '{"a":1}']],
    ["JSON that is none", ["sh", `echo '{"a":1}'`], ["json", '{"a":1']],
    ["a program that throws", ["sh", "true"], ["ts", 'throw new Error("oops");']],
    ["an unknown language", ["sh", "true"], ["ruby", "puts 1"]],
    ["no language", ["sh", "true"], ["", "anything"]],
  ] as const)("finds %s", async (_, first, second) => {
    const [before, problem] = await problemsOf(first, second);
    expect(before).toBeNull();
    expect(problem).toEqual(expect.any(String));
  });

  it.each([
    ["a command that fails, also in the middle", ["sh", "false\ntrue"]],
    ["a command that fails at the start of a pipe", ["sh", "false | cat"]],
    ["an output of nothing", ["text", "value"]],
    ["a variable that was never set", ["sh", 'echo "$NEVER_SET"']],
    ["a server that ends before it is ready", ["sh", "npm run dev-that-does-not-exist"]],
  ] as const)("finds %s", async (_, block) => {
    const [problem] = await problemsOf(block);
    expect(problem).toEqual(expect.any(String));
  });
});
