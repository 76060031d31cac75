import { fileURLToPath } from "node:url";
import { Argument } from "@commander-js/extra-typings";
import { completionScript, SHELLS } from "../completion.ts";
import type { Program } from "./program.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** `completion` */
export function completionCommand(program: Program): void {
  program
    .command("completion")
    .description("print a script that defines ops in this shell and completes its words")
    .addArgument(new Argument("<shell>", "which one").choices(SHELLS))
    .action((shell) => console.log(completionScript(shell, program, ROOT)));
}
