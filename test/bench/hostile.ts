import { readFile } from "node:fs/promises";
import * as z from "zod";
import { loadSamples, type Sample } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { type Service, serviceSchema } from "../../src/contract/schemas.ts";
import { benignReplies, grownReplies } from "../support/grown-replies.ts";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { peakMemoryMb } from "./hostile-memory.ts";
import { type HostileTask, hostileOutcomeSchema, TASK_HEADER } from "./hostile-task.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

/** Below a source's bound, so that the whole reply is read. */
const HEADROOM_BYTES = 2_000;
/** Every case is tried at this size: work that grows with the square of a text shows there too. */
const TRIAL_BYTES = 60_000;
/** Each trial is too short to be timed alone. */
const TIMES_A_TRIAL = 3;
/** So many of the dearest cases of a sample are measured at the source's bound. */
const DEAREST_MAX = 15;
/**
 * And so many of those with the same text repeated: one that is cheap at the bound, where it is refused,
 * would hide the others.
 */
const DEAREST_OF_A_TEXT_MAX = 2;
const REPEATS = 7;
/** What is smaller is read several times, because it is too short to be timed alone. */
const BYTES_A_MEASUREMENT = 1_000_000;
/** Samples of a source that are grown, the largest first. */
const SAMPLES_MAX = 2;

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
 * size that has to be read whole: the dearer of one with its media first and one with its media last. And
 * the memory that the runtime takes at the highest for one such reply.
 * The quick form tries one case in forty.
 */
export async function measureHostile(bench: Bench): Promise<Findings> {
  const bundle = await build("test/bench/hostile-worker.ts");
  const own = { HIKERAPI_KEY: "bench", COBALT_URL: "https://cobalt.example" };
  const start = () => startRuntime({ bundle, vars: { ...bench.stubs.vars, ...own } });
  const runtime = await start();
  try {
    const services = sourcesSchema.parse(await (await fetch(runtime.url)).json());
    const every = bench.effort.rounds > 1 ? 1 : 40;
    const pairs = services.flatMap(({ service, sources }) =>
      sources.map((source) => ({ service, source })),
    );
    const unread = new Set(pairs.map(({ source }) => source));
    const worst: Worst[] = [];
    for (const { service, source } of pairs) {
      const subjects = await subjectsOf(runtime, service, source);
      if (subjects.length === 0) continue;
      unread.delete(source);
      worst.push(await worstOf(subjects, every, start));
    }
    if (unread.size > 0) throw new Error(`no sample for ${[...unread].join(", ")}`);
    return findingsOf(worst);
  } finally {
    await runtime.stop();
  }
}

/** A source's dearest case, and its most memory. */
interface Worst {
  readonly dearest: Case;
  readonly largest: Held;
}

async function worstOf(
  subjects: readonly Subject[],
  every: number,
  start: () => Promise<Runtime>,
): Promise<Worst> {
  const cases = await casesOf(subjects, every);
  const [dearest] = cases.toSorted((a, b) => b.ratio - a.ratio);
  if (dearest === undefined) throw new Error("no case was measured");
  const largest = await largestOf(subjects, cases, start);
  console.error(`${dearest.source}: ${dearest.ratio}, ${largest.mb} MB`);
  return { dearest, largest };
}

function findingsOf(worst: readonly Worst[]): Findings {
  return {
    figures: {
      hostile_ratio_max: Math.max(...worst.map(({ dearest }) => dearest.ratio)),
      memory_mb_max: Math.max(...worst.map(({ largest }) => largest.mb)),
    },
    lines: worst.map(({ dearest: { source, name, ratio, ms }, largest }) => [
      source,
      `${ratio} (${rounded(ms)} ms: ${name}), ${largest.mb} MB (${largest.name})`,
    ]),
    raw: worst,
  };
}

/** What a source holds for one reply. */
interface Held {
  readonly name: string;
  readonly mb: number;
}

/** So many of the cases that cost most CPU are looked at for memory as well. */
const HELD_CASES_MAX = 4;
/** Empty objects take the most memory for their bytes. */
const OF_OBJECTS = "items {}";

/**
 * The most memory for one reply at a source's bound, on its largest sample: ordinary replies, a list of
 * empty objects, and the cases that cost most CPU.
 */
async function largestOf(
  [subject]: readonly Subject[],
  cases: readonly Case[],
  start: () => Promise<Runtime>,
): Promise<Held> {
  if (subject === undefined) throw new Error("no sample");
  const { task, sample, body: small, maxBytes } = subject;
  const sizeBytes = maxBytes - HEADROOM_BYTES;
  const names = cases.flatMap(({ name }) => (name.startsWith(sample) ? [name] : []));
  const dearest = new Set(names.slice(0, HELD_CASES_MAX));
  const grown = [...grownReplies(small, sizeBytes)];
  const objects = grown.find(({ unit }) => unit === OF_OBJECTS);
  const replies = [
    ...benignReplies(small, sizeBytes).map((body) => ({ name: "ordinary", body: () => body })),
    ...grown.filter((one) => one === objects || dearest.has(`${sample}: ${one.name}`)),
  ];
  const held: Held[] = [];
  for (const { name, body } of replies) {
    const reply = body();
    const send = ({ url }: Runtime) => ask(url, task, reply);
    const warmUp = ({ url }: Runtime) => ask(url, task, small);
    held.push({ name, mb: rounded(await peakMemoryMb({ start, warmUp, send })) });
  }
  const [largest] = held.toSorted((a, b) => b.mb - a.mb);
  if (largest === undefined) throw new Error("no reply was measured");
  return largest;
}

/** One source on one sample. */
interface Subject {
  readonly runtime: Runtime;
  readonly task: HostileTask;
  readonly sample: string;
  readonly body: string;
  readonly maxBytes: number;
}

/** The samples that a source finds media in; a provider has some of one service at least. */
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
    const { outcome, maxBytes } = await ask(runtime.url, task, body);
    if (outcome === "OK") subjects.push({ runtime, task, sample: row.note, body, maxBytes });
  }
  return subjects.toSorted((a, b) => b.body.length - a.body.length).slice(0, SAMPLES_MAX);
}

async function bodyOf({ reply }: Sample): Promise<string> {
  return "file" in reply ? readFile(SAMPLES_FOLDER + reply.file, "utf8") : reply.body;
}

/** The dearest cases of each sample, those that cost most CPU first. */
async function casesOf(subjects: readonly Subject[], every: number): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const subject of subjects) {
    cases.push(...(await measure(subject, await dearestNames(subject, every))));
  }
  return cases.toSorted((a, b) => b.ms - a.ms);
}

/** The names of the cases that cost most at the trial's size. */
async function dearestNames(subject: Subject, every: number): Promise<ReadonlySet<string>> {
  const task = { ...subject.task, times: TIMES_A_TRIAL };
  const trials: Trial[] = [];
  let nth = 0;
  for (const { name, unit, body } of grownReplies(subject.body, TRIAL_BYTES)) {
    if (nth++ % every !== 0) continue;
    trials.push({ name, unit, ms: await spend(subject.runtime, task, body()) });
  }
  const byUnit = Map.groupBy(
    trials.toSorted((a, b) => b.ms - a.ms),
    ({ unit }) => unit,
  );
  const dearest = [...byUnit.values()]
    .flatMap((same) => same.slice(0, DEAREST_OF_A_TEXT_MAX))
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, DEAREST_MAX);
  return new Set(dearest.map(({ name }) => name));
}

interface Trial {
  readonly name: string;
  readonly unit: string;
  readonly ms: number;
}

/** These cases at the source's bound, against an ordinary reply of that size. */
async function measure(subject: Subject, names: ReadonlySet<string>): Promise<readonly Case[]> {
  const { runtime, sample, body: small, maxBytes } = subject;
  const sizeBytes = maxBytes - HEADROOM_BYTES;
  const task = { ...subject.task, times: Math.ceil(BYTES_A_MEASUREMENT / maxBytes) };
  const ordinaryMs = await ordinaryCost({ ...subject, task }, sizeBytes);
  const cases: Case[] = [];
  for (const { name, body } of grownReplies(small, sizeBytes)) {
    if (!names.has(name)) continue;
    const grown = body();
    const ms = await medianCost(() => costOf(runtime, task, grown));
    const source = `${task.service} ${task.source}`;
    cases.push({ source, name: `${sample}: ${name}`, ratio: rounded(ms / ordinaryMs), ms });
  }
  return cases;
}

/** What an ordinary reply of this size costs, whether its media come first or last. */
async function ordinaryCost({ runtime, task, body }: Subject, sizeBytes: number): Promise<number> {
  const costs: number[] = [];
  for (const ordinary of benignReplies(body, sizeBytes)) {
    const { outcome } = await ask(runtime.url, task, ordinary);
    if (outcome !== "OK") throw new Error(`${task.source} refuses an ordinary reply: ${outcome}`);
    costs.push(await medianCost(() => costOf(runtime, task, ordinary)));
  }
  return Math.max(...costs);
}

async function medianCost(measureOnce: () => Promise<{ readonly ms: number }>): Promise<number> {
  const costs: number[] = [];
  for (let done = 0; done < REPEATS; done++) costs.push((await measureOnce()).ms);
  return median(costs);
}

/** What the source's work costs beyond handing the reply over. */
async function costOf(runtime: Runtime, task: HostileTask, body: string) {
  const handedOverMs = await spend(runtime, { ...task, times: 0 }, body);
  const ms = (await spend(runtime, task, body)) - handedOverMs;
  return { ms: Math.max(0.05, ms / task.times) };
}

async function spend({ url, pid }: Runtime, task: HostileTask, body: string): Promise<number> {
  const beforeMs = await threadsCpuMs(pid);
  await ask(url, task, body);
  return (await threadsCpuMs(pid)) - beforeMs;
}

async function ask(url: string, task: HostileTask, body: string) {
  const headers = { [TASK_HEADER]: JSON.stringify(task) };
  const reply = await fetch(url, { method: "POST", headers, body });
  return hostileOutcomeSchema.parse(await reply.json());
}
