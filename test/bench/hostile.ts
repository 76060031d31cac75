import { readFile } from "node:fs/promises";
import * as z from "zod";
import { loadSamples, type Sample } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { type Service, serviceSchema } from "../../src/contract/schemas.ts";
import { benignReply, grownReplies } from "../support/grown-replies.ts";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { type HostileTask, hostileOutcomeSchema, TASK_HEADER } from "./hostile-task.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

/** Below a source's bound, so that the whole reply is read. */
const HEADROOM_BYTES = 2_000;
/** Every case is tried at this size: work that grows with the square of a text shows there too. */
const TRIAL_BYTES = 60_000;
/** Cases from this multiple of an ordinary reply's cost on are measured at the source's bound. */
const SUSPECT_RATIO = 2;
const REPEATS = 5;
/** Each trial is too short to be timed alone. */
const TIMES_A_TRIAL = 4;

const sourcesSchema = z.array(z.object({ service: serviceSchema, sources: z.array(z.string()) }));

interface Case {
  readonly source: string;
  /** Which text was repeated where. */
  readonly name: string;
  readonly ratio: number;
  readonly ms: number;
}

/**
 * CPU of each source on hostile text up to its own bound of bytes, against an ordinary reply of that
 * size. The quick form tries one case in forty.
 */
export async function measureHostile(bench: Bench): Promise<Findings> {
  const runtime = await startRuntime({
    bundle: await build("test/bench/hostile-worker.ts"),
    vars: { ...bench.stubs.vars, HIKERAPI_KEY: "bench", COBALT_URL: "https://cobalt.example" },
  });
  try {
    const services = sourcesSchema.parse(await (await fetch(runtime.url)).json());
    const every = bench.effort.rounds > 1 ? 1 : 40;
    const dearest: Case[] = [];
    for (const { service, sources } of services) {
      for (const source of sources) {
        dearest.push(await dearestOf(await subjectsOf(runtime, service, source), every));
      }
    }
    return {
      figures: { hostile_ratio_max: Math.max(...dearest.map(({ ratio }) => ratio)) },
      lines: dearest.map(({ source, name, ratio, ms }) => [
        source,
        `${ratio} (${rounded(ms)} ms: ${name})`,
      ]),
      raw: dearest,
    };
  } finally {
    await runtime.stop();
  }
}

/** One source on one sample. */
interface Subject {
  readonly runtime: Runtime;
  readonly task: HostileTask;
  readonly sample: string;
  readonly body: string;
  readonly maxBytes: number;
}

/**
 * The samples that a source finds media in.
 * @throws Error for a source without any
 */
async function subjectsOf(
  runtime: Runtime,
  service: Service,
  source: string,
): Promise<readonly Subject[]> {
  const rows = (await loadSamples(SAMPLES_FOLDER)).filter((row) => row.service === service);
  const posts = rows.flatMap(({ source_url: url }) => url ?? []);
  const pairs = rows.flatMap((row) => posts.map((postUrl) => ({ row, postUrl })));
  const subjects: Subject[] = [];
  for (const { row, postUrl } of pairs) {
    const body = await bodyOf(row);
    const task = { service, source, postUrl, times: 1 };
    const { outcome, maxBytes } = await costOf(runtime, task, body);
    if (outcome === "OK") subjects.push({ runtime, task, sample: row.note, body, maxBytes });
  }
  if (subjects.length === 0) throw new Error(`no sample for ${service} ${source}`);
  return subjects;
}

async function bodyOf({ reply }: Sample): Promise<string> {
  return "file" in reply ? readFile(SAMPLES_FOLDER + reply.file, "utf8") : reply.body;
}

async function dearestOf(subjects: readonly Subject[], every: number): Promise<Case> {
  const cases: Case[] = [];
  for (const subject of subjects) {
    const suspects = await suspectsOf(subject, every);
    cases.push(...(await measure(subject, suspects)));
  }
  const [dearest] = cases.toSorted((a, b) => b.ratio - a.ratio);
  if (dearest === undefined) throw new Error("no case was measured");
  return dearest;
}

/** The names of the cases that stand out at the trial's size. */
async function suspectsOf(subject: Subject, every: number): Promise<ReadonlySet<string>> {
  const { runtime, body: sample } = subject;
  const task = { ...subject.task, times: TIMES_A_TRIAL };
  const ordinaryMs = await medianCost(() =>
    costOf(runtime, task, benignReply(sample, TRIAL_BYTES)),
  );
  const names = new Set<string>();
  let nth = 0;
  for (const { name, body } of grownReplies(sample, TRIAL_BYTES)) {
    if (nth++ % every !== 0) continue;
    const { ms } = await costOf(runtime, task, body);
    if (ms >= ordinaryMs * SUSPECT_RATIO) names.add(name);
  }
  return names;
}

/** The suspects, and one case that is none, at the source's bound. */
async function measure(subject: Subject, suspects: ReadonlySet<string>): Promise<readonly Case[]> {
  const { runtime, task, sample, body: small, maxBytes } = subject;
  const sizeBytes = maxBytes - HEADROOM_BYTES;
  const ordinary = benignReply(small, sizeBytes);
  const ordinaryMs = await medianCost(() => costOf(runtime, task, ordinary));
  const cases: Case[] = [];
  for (const { name, body } of grownReplies(small, sizeBytes)) {
    if (cases.length > 0 && !suspects.has(name)) continue;
    const ms = await medianCost(() => costOf(runtime, task, body));
    const source = `${task.service} ${task.source}`;
    cases.push({ source, name: `${sample}: ${name}`, ratio: rounded(ms / ordinaryMs), ms });
  }
  return cases;
}

async function medianCost(ask: () => Promise<{ readonly ms: number }>): Promise<number> {
  const costs: number[] = [];
  for (let done = 0; done < REPEATS; done++) costs.push((await ask()).ms);
  return median(costs);
}

/** What the source's work costs beyond handing the reply over. */
async function costOf({ url, pid }: Runtime, task: HostileTask, body: string) {
  const run = async (times: number) => {
    const beforeMs = await threadsCpuMs(pid);
    const reply = await fetch(url, {
      method: "POST",
      headers: { [TASK_HEADER]: JSON.stringify({ ...task, times }) },
      body,
    });
    const outcome = hostileOutcomeSchema.parse(await reply.json());
    return { ...outcome, ms: (await threadsCpuMs(pid)) - beforeMs };
  };
  const handedOver = await run(0);
  const read = await run(task.times);
  return { ...read, ms: Math.max(0.05, (read.ms - handedOver.ms) / task.times) };
}
