import { readSecret } from "../../terminal/ask.ts";
import { rotateKey } from "../key-rotation.ts";
import { findKey } from "../key-search.ts";
import { checkKeys } from "../key-state.ts";
import { type ChangedKey, changeKey, createKey, type KeyStatus, listKeys } from "../keys.ts";
import { grace, id, plainText } from "../options.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

/** `key create | rotate | list | find | revoke | deactivate | activate | check` */
export function keyCommands(program: Program): void {
  const key = keyGroup(program);
  newKeys(key);
  views(key);
  changes(key);
}

const keyGroup = (program: Program) => program.command("key").description("API keys");
type KeyGroup = ReturnType<typeof keyGroup>;

function newKeys(key: KeyGroup): void {
  key
    .command("create")
    .description(
      "create a key, shown this once and stored nowhere; within 5 seconds it works everywhere",
    )
    .requiredOption("--account <id>", "an active account with a verified email", id)
    .option("--label <text>", "what the key is for; at most 64 characters", plainText(64), "")
    .action((options, command) => run(command, { work: (tables) => createKey(tables, options) }));

  key
    .command("rotate")
    .description("create a key in place of another, which ends after a time; shown this once")
    .requiredOption("--key-id <id>", "id of the old key, which must be active", id)
    .requiredOption(
      "--grace <time>",
      "how long the old key still works: 90s, 30m, 24h, 7d; 0 revokes it at once",
      grace,
    )
    .option("--yes", "with --grace 0: do not ask", false)
    .action(({ keyId, grace: graceMs, yes }, command) =>
      run(command, {
        work: (tables) => rotateKey(tables, { keyId, graceMs }),
        ...(graceMs === 0 && { question: `Replace ${keyId} and revoke it for good?` }),
        yes,
      }),
    );
}

function views(key: KeyGroup): void {
  key
    .command("list")
    .description("list the keys of an account")
    .requiredOption("--account <id>", "id of the account", id)
    .action((options, command) =>
      run(command, {
        work: (tables) => listKeys(tables, options.account),
        show: listed("keys"),
      }),
    );

  const find = key
    .command("find")
    .description(
      "say whose a key is, such as one that leaked, and its state; reads it from standard input, " +
        "on a terminal without showing it; exit code 1 when it is no key of ours",
    )
    // Whatever stands there may be the key, which must not be repeated.
    .allowExcessArguments()
    .allowUnknownOption();
  find.action((_, command) => {
    if (find.args.length > 0) {
      find.error(
        "error: key find takes no argument: the shell's history and the list of processes would " +
          "keep the key. Send it on standard input. A key that was typed here may have leaked now.",
        { exitCode: 2 },
      );
    }
    return run(command, {
      work: async (tables) => findKey(tables, await readSecret("Key (it is not shown): ")),
    });
  });

  key
    .command("check")
    .description("list keys that disagree with their account; exit code 1 when there is one")
    .action((_, command) =>
      run(command, {
        work: checkKeys,
        show: (found, json) => {
          if (found.length > 0) process.exitCode = 1;
          return listed("keys")(found, json);
        },
      }),
    );
}

function changes(key: KeyGroup): void {
  key
    .command("revoke")
    .description("end a key for good, such as one that leaked; holds at once")
    .requiredOption("--key-id <id>", "id of the key", id)
    .option("--yes", "do not ask; needed where there is no terminal", false)
    .action((options, command) =>
      run(command, {
        work: (tables) => changeKey(tables, options.keyId, "revoked"),
        show: changed,
        question: `Revoke ${options.keyId} for good?`,
        yes: options.yes,
      }),
    );

  const change = (name: string, description: string, to: KeyStatus) =>
    key
      .command(name)
      .description(description)
      .requiredOption("--key-id <id>", "id of the key", id)
      .action((options, command) =>
        run(command, {
          work: (tables) => changeKey(tables, options.keyId, to),
          show: changed,
        }),
      );

  change("deactivate", "refuse the key until it is activated again", "inactive");
  change("activate", "accept a deactivated key again", "active");
}

function changed(key: ChangedKey, json: boolean): object {
  if (json) return key;
  return { ...key, changed: key.changed ? "yes" : `no: it was ${key.status} already` };
}
