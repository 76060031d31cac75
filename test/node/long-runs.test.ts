import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = (file: string, ...options: readonly string[]) =>
  promisify(execFile)(process.execPath, [file, ...options]);

describe.each(["test/fuzz/main.ts", "test/soak/main.ts"])("node %s", (file) => {
  it("says what it can be asked for", async () => {
    const { stdout } = await run(file, "--help");
    for (const option of ["--minutes <n>", "--seed <n>"]) expect(stdout).toContain(option);
  });

  it.each(["--minutes=0", "--minutes=x", "--seed=-1", "--sed=1", "more"])(
    "refuses %s with exit code 2",
    async (option) => {
      await expect(run(file, option)).rejects.toMatchObject({ code: 2 });
    },
  );
});

it("npm run fuzz refuses a kind that it does not know", async () => {
  const asked = run("test/fuzz/main.ts", "--only", "dreams");
  await expect(asked).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("urls, bodies, replies, tenants"),
  });
});
