import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { changeAccount, createAccount } from "../../../infra/ops/accounts.ts";
import { createKey } from "../../../infra/ops/keys.ts";
import { take } from "../../../infra/terminal/answer.ts";
import { render } from "../../../infra/terminal/output.ts";
import { SERVICES } from "../../../src/contract/schemas.ts";
import { shell } from "../pages.ts";
import { runOps } from "./command.ts";
import { startTables } from "./engine.ts";

/** How the operator's tool speaks to people, to programs and to the shell. */

const { connection, tables, stop } = await startTables();
afterAll(stop);

const ops = (...words: readonly string[]) => runOps(connection, words);
const MAIN = "node infra/ops/commands/main.ts";

describe("a list", () => {
  const narrow = [{ key_id: "key_1", label: "" }];
  const wide = [1, 2].map((at) => ({ key_id: `key_${at}`, label: "word ".repeat(30).trim() }));

  it("is a table where it fits", () => {
    expect(render(narrow, false, 80)).toContain("│ key_1  │ –     │");
    expect(render(wide, false)).toContain("│ key_1  │ word word");
    expect(render([], false, 80)).toBe("None.");
  });

  it("is one line for each value where it does not, folded between words", () => {
    const drawn = render(wide, false, 80);
    const label = [14, 14, 2].map((words) => "word ".repeat(words).trim()).join("\n        ");
    expect(drawn).toBe(`key_id  key_1\nlabel   ${label}\n\nkey_id  key_2\nlabel   ${label}`);
  });

  it("fits by the width that characters have on a terminal", () => {
    const row = [{ label: "鍵".repeat(30), more: "x" }];
    expect(render(row, false, 71)).toContain("┌");
    expect(render(row, false, 70)).not.toContain("┌");
  });

  it("within an object stands below it, under its name", () => {
    const shown = render({ closing: 7, usage: narrow, movements: [] }, false, 80);
    expect(shown).toMatch(/^closing {2}7\n\nusage\n┌[\s\S]*┘\n\nmovements\nNone\.$/);
  });

  it.each([
    ["key", "list"],
    ["account", "list"],
    ["credits", "list"],
  ])("fits 80 columns: %s %s", async (...words) => {
    const email = `${crypto.randomUUID()}@shop.example`;
    const account = take(await createAccount(tables, email, "x".repeat(64))).account_id;
    if (words[0] === "key") {
      take(await changeAccount(tables, account, { email_verified: true }));
      take(await createKey(tables, { account, label: "web shop" }));
    }
    const of = words[0] === "account" ? ["--email", email] : ["--account", account];
    const { out, code } = await ops(...words, ...of);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
  });
});

describe("a command that is not understood", () => {
  it.each([
    "frobnicate",
    "account frobnicate",
    "account",
    "",
    "credits grant --account a",
    "usage list --account a --outcome NOPE",
    "key find svc_live_x",
    "--nope",
  ])("is told as one JSON object with --json: %j", async (typed) => {
    const words = typed.split(" ").filter((word) => word !== "");
    for (const all of [
      ["--json", ...words],
      [...words, "--json"],
    ]) {
      const { out, error, code } = await ops(...all);
      expect({ out, code }).toEqual({ out: "", code: 2 });
      expect(JSON.parse(error)).toEqual({ error: expect.stringMatching(/^\S.*\S$/) });
      expect(error).not.toContain("svc_live_x");
    }
  });

  it("is told with its help without --json", async () => {
    const { error, code } = await ops("credits", "grant", "--account", "a");
    expect(code).toBe(2);
    expect(error).toContain("error: required option '--credits <n>' not specified");
    expect(error).toContain("Usage: ops credits grant [options]");
  });

  it("has its help on standard output, also with --json", async () => {
    const { out, error, code } = await ops("--json", "usage", "--help");
    expect({ error, code }).toEqual({ error: "", code: 0 });
    expect(out).toContain("Usage: ops usage [options] [command]");
  });
});

describe("an outcome that no record has", () => {
  it("is refused with the list of those that there are", async () => {
    const { out, error, code } = await ops("usage", "list", "--account", "a", "--outcome", "NOPE");
    expect({ out, code }).toEqual({ out: "", code: 2 });
    expect(error).toContain("Allowed choices are OK, ABANDONED, ");
    expect(error).toContain("UPSTREAM_TIMEOUT");
  });
});

describe("missing AWS credentials", () => {
  it("are named in a sentence, before DynamoDB is asked", async () => {
    const home = await mkdtemp(join(tmpdir(), "home-"));
    try {
      const env = { HOME: home, AWS_REGION: "eu-central-1", AWS_EC2_METADATA_DISABLED: "true" };
      const unset = "unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AWS_PROFILE";
      const run = await shell(`${unset}; ${MAIN} account list`, env);
      expect(run).toMatchObject({ out: "", code: 1 });
      expect(run.error).toMatch(/^There are no AWS credentials\. Set AWS_ACCESS_KEY_ID and /);
      expect(run.error).not.toContain("DynamoDB gave no answer");
    } finally {
      await rm(home, { recursive: true });
    }
  });
});

describe("the shell's completion", () => {
  const script = runOps(connection, ["completion", "bash"]).then(({ out }) => out);

  /** What bash offers for the last of these words. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    const line = words.map((word) => `'${word}'`).join(" ");
    const { out, error, code } = await shell(
      `${await script}
       COMP_WORDS=(ops ${line}); COMP_CWORD=${words.length}
       _ops_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
    expect({ error, code }).toEqual({ error: "", code: 0 });
    return out.split("\n").filter((word) => word !== "");
  }

  it("offers commands, options and the values that are a choice", async () => {
    expect(await offered("cre")).toEqual(["credits"]);
    expect(await offered("credits", "g")).toEqual(["grant"]);
    expect(await offered("credits", "grant", "--cr")).toEqual(["--credits"]);
    expect(await offered("--local", "usage", "list", "--service", "")).toEqual([...SERVICES]);
    expect(await offered("usage", "list", "--outcome", "ABA")).toEqual(["ABANDONED"]);
    expect(await offered("completion", "")).toEqual(expect.arrayContaining(["bash", "zsh"]));
  });

  it("takes the value of an option for no command, and offers nothing for one", async () => {
    expect(await offered("credits", "list", "--account", "")).toEqual([]);
    expect(await offered("key", "--account", "list", "--ac")).toEqual([]);
    expect(await offered("key", "list", "--account", "create", "--la")).toEqual([]);
    expect(await offered("key", "create", "--account", "list", "--la")).toEqual(["--label"]);
  });

  it("defines ops, which runs the tool from another folder", async () => {
    const { out, code } = await shell(`${await script}\ncd /\nops credits --help`);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("refund") });
  });

  it("is refused for a shell that it does not know, with those that it knows", async () => {
    const { error, code } = await ops("completion", "fish");
    expect(code).toBe(2);
    expect(error).toContain("Allowed choices are bash, zsh.");
  });
});
