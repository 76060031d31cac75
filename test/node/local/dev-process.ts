/** `npm run dev` on another folder: the first argument; the rest are its options. */
import { runDev } from "../../../infra/local/command.ts";
import { seedDevAccount } from "../../../infra/ops/seed.ts";

const [folder = "", ...args] = process.argv.slice(2);
process.exitCode = await runDev({ args, folder, seed: seedDevAccount });
