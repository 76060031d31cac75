import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { confirm, readSecret } from "../../../infra/terminal/ask.ts";

/** A terminal, or a pipe, at which somebody types this. */
async function typing<T>(
  typed: string,
  isTTY: boolean,
  work: (terminal: { input: PassThrough; output: PassThrough }) => Promise<T>,
) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  const told = text(output);
  input.write(typed);
  if (!isTTY) input.end();
  const done = await work({ input, output });
  output.end();
  return { done, told: await told };
}

describe("a question before something that cannot be undone", () => {
  it.each(["y\n", "Yes\r", " y \n"])("is agreed to with %j", async (typed) => {
    const { done, told } = await typing(typed, true, (at) => confirm("Revoke?", at));
    expect(done.ok).toBe(true);
    expect(told).toContain("Revoke? [y/N] ");
  });

  it.each(["\n", "n\n", "yy\n", "\u0003", "\u0004"])("is not with %j", async (typed) => {
    const { done } = await typing(typed, true, (at) => confirm("Revoke?", at));
    expect(done).toEqual({ ok: false, problem: "Nothing was changed." });
  });

  it("is never agreed to without a terminal, whatever comes", async () => {
    const { done, told } = await typing("y\n", false, (at) => confirm("Revoke?", at));
    expect(done).toMatchObject({ ok: false, problem: expect.stringContaining("--yes") });
    expect(told).toBe("");
  });
});

describe("a secret", () => {
  it("on a terminal is one line, and is not shown", async () => {
    const { done, told } = await typing("hunter2\rmore\r", true, (at) => readSecret("Key: ", at));
    expect(done).toBe("hunter2");
    expect(told).toBe("Key: \n");
  });

  it.each(["hun\u0003", "\u0004"])("on a terminal is none after %j", async (typed) => {
    const { done } = await typing(typed, true, (at) => readSecret("Key: ", at));
    expect(done).toBe("");
  });

  it("of a pipe is all of it, without a prompt", async () => {
    const { done, told } = await typing(" hunter2\r\n\n", false, (at) => readSecret("Key: ", at));
    expect([done, told]).toEqual([" hunter2\r\n\n", ""]);
  });

  it("of a pipe without an end is read no further than any secret goes", async () => {
    const input = new PassThrough({ highWaterMark: 1_024 });
    let sent = 0;
    const pour = () => {
      while (!input.destroyed && input.write("x".repeat(1_024))) sent += 1_024;
    };
    input.on("drain", pour);
    pour();
    const secret = await readSecret("Key: ", { input, output: new PassThrough() });
    expect(secret.length).toBeLessThan(10_000);
    expect([input.destroyed, sent < 20_000]).toEqual([true, true]);
  });
});
