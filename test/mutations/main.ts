import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MUTATIONS, type Mutation } from "./mutations.ts";
import { runSuite } from "./suite.ts";

/**
 * `npm run test:mutations`: applies each mutation to a copy of the code and runs the suite there.
 * Exit code 1 if the suite misses one, or if one no longer applies.
 */
const ROOT = new URL("../..", import.meta.url).pathname;
const PARTS = ["src", "test", "infra", "package.json", "tsconfig.json", "wrangler.toml"];

const only = process.argv[2];
const chosen = MUTATIONS.filter(({ name }) => only === undefined || name.includes(only));
const folder = await mkdtemp(join(tmpdir(), "mutations-"));
let survived = 0;
try {
  for (const part of PARTS) await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const sound = await runSuite(folder);
  if (sound !== null) throw new Error(`the suite fails without a mutation: ${sound}`);
  for (const mutation of chosen) {
    const verdict = await judge(mutation);
    if (!verdict.startsWith("caught")) survived++;
    console.log(`${verdict}  ${mutation.name}`);
  }
} finally {
  await rm(folder, { recursive: true });
}
console.log(`${chosen.length - survived} caught, ${survived} survived`);
if (survived > 0) process.exitCode = 1;

async function judge({ file, find, replace }: Mutation): Promise<string> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  if (text.split(find).length !== 2) return "does not apply";
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  const failure = await runSuite(folder);
  await writeFile(path, text);
  return failure === null ? "survived" : `caught by ${failure}`;
}
