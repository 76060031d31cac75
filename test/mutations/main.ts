import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inCopy } from "../guide/copy.ts";
import { sideBySide } from "../guide/side-by-side.ts";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import { runSuite } from "./suite.ts";

/**
 * `npm run test:mutations`: applies each mutation to a copy of the code and runs the suite there.
 * Exit code 1 if the suite misses one, or if one no longer applies.
 */
const only = process.argv[2];
const chosen = MUTATIONS.filter(({ name }) => only === undefined || name.includes(only));

const sound = await inCopy([], runSuite);
if (sound !== null) throw new Error(`the suite fails without a mutation: ${sound}`);
let survived = 0;
await sideBySide(chosen, async (mutation) => {
  const verdict = await inCopy([], (folder) => judge(folder, mutation));
  if (!verdict.startsWith("caught")) survived++;
  console.log(`${verdict}  ${mutation.name}`);
});
console.log(`${chosen.length - survived} caught, ${survived} survived`);
if (survived > 0) process.exitCode = 1;

async function judge(folder: string, { file, find, replace }: Mutation): Promise<string> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  if (text.split(find).length !== 2) return "does not apply";
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  const failure = await runSuite(folder);
  return failure === null ? "survived" : `caught by ${failure}`;
}
