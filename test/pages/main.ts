import { readGuide } from "./guide.ts";
import { inviteToClone } from "./workspace.ts";

/**
 * `npm run test:first-call`: follows the guide in a fresh clone, as a new user does, with nothing else at
 * hand: installs, starts the service, calls it in each language, Python included. Needs git, curl and
 * Python 3.10.
 */
const guest = await inviteToClone();
const startMs = Date.now();
let failures = 0;
try {
  const pages = await readGuide(guest.folder);
  for (const block of pages.flatMap(({ blocks }) => blocks)) {
    const problem = await guest.follow(block);
    const seconds = ((Date.now() - startMs) / 1000).toFixed(1).padStart(6);
    const place = `${block.page}:${block.line} ${block.language}`;
    console.log(`${seconds} s  ${problem === null ? "works" : "FAILS"}  ${place}`);
    if (problem === null) continue;
    console.log(problem);
    failures++;
  }
} finally {
  await guest.stop();
}
if (failures > 0) process.exitCode = 1;
