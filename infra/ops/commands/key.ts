import { changeKey, createKey, listKeys } from "../keys.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

/** `key create | list | revoke | deactivate | activate` */
export function keyCommands(program: Program): void {
  const key = program.command("key").description("API keys");

  key
    .command("create")
    .description("create a key; it is shown this once and stored nowhere")
    .requiredOption("--account <id>", "an active account with a verified email")
    .option("--label <text>", "what the key is for", "")
    .action((options, command) => run(command, { work: (tables) => createKey(tables, options) }));

  key
    .command("list")
    .description("list the keys of an account")
    .requiredOption("--account <id>")
    .action((options, command) =>
      run(command, {
        work: (tables) => listKeys(tables, options.account),
        show: listed("keys"),
      }),
    );

  key
    .command("revoke")
    .description("end a key for good, such as one that leaked")
    .requiredOption("--key-id <id>")
    .option("--yes", "do not ask", false)
    .action((options, command) =>
      run(command, {
        work: (tables) => changeKey(tables, options.keyId, "revoked"),
        question: `Revoke ${options.keyId} for good?`,
        yes: options.yes,
      }),
    );

  const change = (name: string, description: string, to: "active" | "inactive") =>
    key
      .command(name)
      .description(description)
      .requiredOption("--key-id <id>")
      .action((options, command) =>
        run(command, { work: (tables) => changeKey(tables, options.keyId, to) }),
      );

  change("deactivate", "refuse the key until it is activated again", "inactive");
  change("activate", "accept a deactivated key again", "active");
}
