import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { CommanderError } from "@commander-js/extra-typings";
import { isEvent, prettyLine } from "../local/log-line.ts";
import { StackError } from "../local/stack-error.ts";
import { type LocalWorker, startWorker } from "../local/worker.ts";
import { readHistory, writeRun } from "./history.ts";
import { junit } from "./junit.ts";
import { type Line, readList } from "./list.ts";
import { lookAtMedia } from "./media.ts";
import { type Answer, findingsSchema } from "./messages.ts";
import { type CanaryOptions, parseCanaryOptions } from "./options.ts";
import { show } from "./show.ts";
import { type Findings, judge, type Looked } from "./verdict.ts";

/** The configuration requires these; the canary does not use them. */
const UNUSED = {
  AWS_ACCESS_KEY_ID: "unused",
  AWS_SECRET_ACCESS_KEY: "unused",
  UPSTASH_REDIS_REST_TOKEN: "unused",
} as const;

/** Lines of the runtime that are kept to explain why it does not start. */
const RUNTIME_LINES_MAX = 20;

/**
 * `npm run canary`: resolves a list live through the service's own code and sums up.
 * @returns the exit code: 0, or 1 if a service is under the threshold or nothing could run
 */
async function run(args: readonly string[]): Promise<number> {
  const runtimeLines: string[] = [];
  try {
    const options = parseCanaryOptions(args);
    const { fallen } = await find(options, (line) => {
      if (runtimeLines.length < RUNTIME_LINES_MAX) runtimeLines.push(line);
    });
    return fallen.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(explain(error, runtimeLines));
    return 1;
  }
}

/** Why nothing could run. What the runtime said matters if it does not start. */
function explain(error: unknown, runtimeLines: readonly string[]): string {
  const said = error instanceof Error ? error.message : String(error);
  return error instanceof StackError ? [...runtimeLines, said].join("\n") : said;
}

/** Resolves the list, prints what came of it, and writes the files that were asked for. */
async function find(
  options: CanaryOptions,
  onRuntimeLine: (line: string) => void,
): Promise<Findings> {
  const list = readList(await readFile(options.urls, "utf8"));
  const history = options.history === undefined ? null : await readHistory(options.history);
  const worker = await start(options, onRuntimeLine);
  try {
    const looked = await tryAll(worker.url, list, options);
    const at = new Date();
    const findings = judge(looked, { threshold: options.threshold, history, at });
    console.log(show(findings, options));
    if (options.junit !== undefined) await writeFile(options.junit, junit(findings.verdicts, at));
    if (history !== null) await writeRun(history, findings.run);
    return findings;
  } finally {
    await worker.stop();
  }
}

/**
 * Events of the sources, such as drift, go to standard error, apart from the result. What the runtime
 * prints is kept for the case that it does not start.
 */
function start(
  { egress, var: vars }: CanaryOptions,
  onRuntimeLine: (line: string) => void,
): Promise<LocalWorker> {
  return startWorker({
    entry: fileURLToPath(new URL("worker.ts", import.meta.url)),
    vars: { ...UNUSED, EGRESS_URL: egress ?? "", ...vars },
    onLog: (line) => {
      if (!isEvent(line)) return onRuntimeLine(line);
      console.error(prettyLine(line, new Date(), (_format, text) => text));
    },
  });
}

/** One after the other, so that no platform gets many requests at once. */
async function tryAll(
  url: string,
  list: readonly Line[],
  { egress, media, mediaUrls: withUrls = false }: CanaryOptions,
): Promise<readonly Looked[]> {
  const looked: Looked[] = [];
  for (const line of list) {
    const answer = await ask(url, line);
    const items = media ? answer.whole.media : [];
    const files = await lookAtMedia(items, { egressUrl: egress, withUrls });
    looked.push({ line, answer, media: files });
  }
  return looked;
}

async function ask(worker: string, { service, url }: Line): Promise<Answer> {
  const reply = await fetch(worker, { method: "POST", body: JSON.stringify({ service, url }) });
  const findings = findingsSchema.parse(await reply.json());
  if ("problem" in findings) throw new Error(findings.problem);
  return findings;
}

process.exitCode = await run(process.argv.slice(2));
