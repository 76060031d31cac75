import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CommanderError } from "@commander-js/extra-typings";
import { type LocalWorker, startWorker } from "../local/worker.ts";
import { render } from "../terminal/output.ts";
import { type Line, readList } from "./list.ts";
import { type Answer, findingsSchema } from "./messages.ts";
import { type CanaryOptions, parseCanaryOptions } from "./options.ts";
import { fallen, type Row, report, type Try } from "./report.ts";

/** The configuration requires these; the canary does not use them. */
const UNUSED = {
  AWS_ACCESS_KEY_ID: "unused",
  AWS_SECRET_ACCESS_KEY: "unused",
  UPSTASH_REDIS_REST_TOKEN: "unused",
} as const;

/**
 * `npm run canary`: resolves a list live through the service's own code and sums up.
 * @returns the exit code: 0, or 1 if a service is under the threshold or nothing could run
 */
async function run(args: readonly string[]): Promise<number> {
  let worker: LocalWorker | undefined;
  try {
    const options = parseCanaryOptions(args);
    const list = readList(await readFile(options.urls, "utf8"));
    worker = await start(options);
    const rows = report(await tryAll(worker.url, list));
    const low = fallen(rows, options.threshold);
    console.log(show(rows, low, options));
    return low.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    await worker?.stop();
  }
}

/** Log lines of the sources, such as drift, go to standard error, apart from the result. */
function start({ egress, var: vars }: CanaryOptions): Promise<LocalWorker> {
  return startWorker({
    entry: fileURLToPath(new URL("worker.ts", import.meta.url)),
    vars: { ...UNUSED, EGRESS_URL: egress ?? "", ...vars },
    onLog: (line) => console.error(line),
  });
}

/** One after the other, so that no platform gets many requests at once. */
async function tryAll(url: string, list: readonly Line[]): Promise<readonly Try[]> {
  const tries: Try[] = [];
  for (const line of list) tries.push({ line, answer: await ask(url, line) });
  return tries;
}

async function ask(worker: string, { service, url }: Line): Promise<Answer> {
  const reply = await fetch(worker, { method: "POST", body: JSON.stringify({ service, url }) });
  const findings = findingsSchema.parse(await reply.json());
  if ("problem" in findings) throw new Error(findings.problem);
  return findings;
}

function show(rows: readonly Row[], low: readonly string[], options: CanaryOptions): string {
  const { json = false, threshold } = options;
  if (json) return render({ rows, threshold, fallen: low }, true);
  const table = render(rows.map(plain), false);
  const verdict = low.length === 0 ? "No service is" : `${low.join(", ")}:`;
  return `${table}\n${verdict} under ${threshold * 100} % right.`;
}

/** For example `MEDIA_NOT_FOUND 2, OK 1`. `OK` means a wrong number of items. */
function plain({ source, wrong, ...row }: Row): object {
  const counts = Object.entries(wrong).map(([code, times]) => `${code} ${times}`);
  const { service, tried, right, median_ms, max_ms } = row;
  return { service, source, tried, right, wrong: counts.join(", "), median_ms, max_ms };
}

process.exitCode = await run(process.argv.slice(2));
