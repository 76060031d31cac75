import { CHECKS, firstFailure, problemOf } from "./checks.ts";
import { inCopy, readChanges } from "./copy.ts";
import type { Change } from "./guide.ts";

/**
 * `npm run test:guide`: follows the guide for a new service in a copy of the repository, where
 * everything must work. Then leaves each of its changes out once, and something must fail.
 */
const changes = await readChanges();
let isBroken = await inCopy(changes, async (folder) => {
  let failures = 0;
  for (const check of CHECKS) {
    const problem = await problemOf(folder, check);
    console.log(`${problem === null ? "works" : "FAILS"}    ${check.name}`);
    if (problem !== null) console.log(problem);
    if (problem !== null) failures++;
  }
  return failures > 0;
});

for (const [at, change] of changes.entries()) {
  const verdict = await judgeWithout(at);
  if (verdict === null) isBroken = true;
  const shown = verdict === null ? "NEEDLESS" : "needed  ";
  console.log(`${shown} ${change.path}, change ${at + 1}${verdict === null ? "" : `: ${verdict}`}`);
}
if (isBroken) process.exitCode = 1;

/** What fails without one of the changes; null when nothing does. */
async function judgeWithout(left: number): Promise<string | null> {
  const others: readonly Change[] = changes.filter((_, at) => at !== left);
  return inCopy(others, async (folder) => (await firstFailure(folder, CHECKS))?.name ?? null);
}
