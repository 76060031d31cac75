import { readFile } from "node:fs/promises";
import { Command } from "@commander-js/extra-typings";
import { problem } from "../../terminal/answer.ts";
import { checkChain } from "./check-chain.ts";

const command = new Command("npm run reconcile:verify --")
  .description("Checks sealed months: nothing in them was changed after they were closed.")
  .argument("<folders...>", "folders with the results and seals of months, in any order")
  .requiredOption("--public-key <file>", "the public key, as ops finance key wrote it")
  .option("--exports <folders...>", "folders with the exports, to check them too")
  .addHelpText("after", "\nExit codes: 0 nothing was changed, 1 something was, 2 not understood.")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));

const { publicKey, exports = [] } = command.parse().opts();
const pem = await readFile(publicKey, "utf8").catch(() => null);
const checked =
  pem === null
    ? problem(`--public-key ${publicKey}: there is no such file to read.`)
    : await checkChain(command.args, pem, exports);
if (checked.ok) {
  for (const { month, discrepancies, outputs, inputs, inputsChecked } of checked.value) {
    console.log(
      `${month}  sealed and unchanged: ${outputs} results; ${inputsChecked} of ${inputs} files of ` +
        `exports were there to check; ${discrepancies} discrepancies when it was closed`,
    );
  }
} else {
  console.error(`NOT AS IT WAS SEALED\n${checked.problem}`);
  process.exitCode = 1;
}
