import { checkKeys } from "../key-state.ts";
import { changeKey, createKey, listKeys } from "../keys.ts";
import { id, plainText } from "../options.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

/** `key create | list | revoke | deactivate | activate | check` */
export function keyCommands(program: Program): void {
  const key = keyGroup(program);

  key
    .command("create")
    .description(
      "create a key, shown this once and stored nowhere; within 5 seconds it works everywhere",
    )
    .requiredOption("--account <id>", "an active account with a verified email", id)
    .option("--label <text>", "what the key is for; at most 64 characters", plainText(64), "")
    .action((options, command) => run(command, { work: (tables) => createKey(tables, options) }));

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

  changes(key);
}

const keyGroup = (program: Program) => program.command("key").description("API keys");

/** `key revoke | deactivate | activate | check` */
function changes(key: ReturnType<typeof keyGroup>): void {
  key
    .command("revoke")
    .description("end a key for good, such as one that leaked; holds at once")
    .requiredOption("--key-id <id>", "id of the key", id)
    .option("--yes", "do not ask", false)
    .action((options, command) =>
      run(command, {
        work: (tables) => changeKey(tables, options.keyId, "revoked"),
        question: `Revoke ${options.keyId} for good?`,
        yes: options.yes,
      }),
    );

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

  const change = (name: string, description: string, to: "active" | "inactive") =>
    key
      .command(name)
      .description(description)
      .requiredOption("--key-id <id>", "id of the key", id)
      .action((options, command) =>
        run(command, { work: (tables) => changeKey(tables, options.keyId, to) }),
      );

  change("deactivate", "refuse the key until it is activated again", "inactive");
  change("activate", "accept a deactivated key again", "active");
}
