import { fileURLToPath } from "node:url";
import { seedDevAccount } from "../ops/seed.ts";
import { runDev } from "./command.ts";

process.exitCode = await runDev({
  args: process.argv.slice(2),
  folder: fileURLToPath(new URL("../../.local/", import.meta.url)),
  seed: seedDevAccount,
});
