import { render } from "../../terminal/output.ts";
import { makeSealKey } from "../seal-key.ts";
import type { Program } from "./program.ts";

/** `finance key` */
export function financeCommands(program: Program): void {
  program
    .command("finance")
    .description("what finance needs to close months")
    .command("key")
    .description("make the key pair that seals closed months; needs no tables")
    .requiredOption("--to <file>", "for the private key; the public one goes beside it, as .pub")
    .action(async ({ to }, command) => {
      const { json } = command.optsWithGlobals();
      const made = await makeSealKey(to);
      if (made.ok) return console.log(render(made.value, json));
      process.exitCode = 1;
      console.error(json ? JSON.stringify({ error: made.problem }) : made.problem);
    });
}
