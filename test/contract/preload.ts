import { takeSeen } from "./watch.ts";
import { watchedFetch } from "./watch-fetch.ts";

/** `node --import`: a command that receives what the document does not say exits with 1. */
globalThis.fetch = watchedFetch(globalThis.fetch);

process.on("exit", () => {
  const { responses, problems } = takeSeen();
  if (responses > 0) console.error(`${responses} responses compared with the document.`);
  if (problems.length === 0) return;
  console.error(problems.join("\n"));
  process.exitCode = 1;
});
