import { CHECKS, firstFailure, problemOf } from "./checks.ts";
import { inCopy, readChanges } from "./copy.ts";
import type { Change } from "./guide.ts";
import { sideBySide } from "./side-by-side.ts";

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

await sideBySide(changes, async (change) => {
  const verdict = await judgeWithout(change);
  if (verdict === null) isBroken = true;
  const shown = verdict === null ? "NEEDLESS" : "needed  ";
  const number = changes.indexOf(change) + 1;
  console.log(`${shown} ${change.path}, change ${number}${verdict === null ? "" : `: ${verdict}`}`);
});
if (isBroken) process.exitCode = 1;

/** What fails without one of the changes; null when nothing does. */
async function judgeWithout(left: Change): Promise<string | null> {
  const others = changes.filter((change) => change !== left);
  return inCopy(others, async (folder) => (await firstFailure(folder, CHECKS))?.name ?? null);
}
