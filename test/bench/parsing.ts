import * as z from "zod";
import { type Service, serviceSchema } from "../../src/contract/schemas.ts";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { type Recording, readRecordings } from "./recordings.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

/** Bytes that one measurement reads, within so many repetitions. */
const BYTES_A_MEASUREMENT = 5_000_000;
const TIMES_MIN = 5;
const TIMES_MAX = 100;
/** Parsing and reading alternate within a round, so that other work on the machine meets both. */
const MEASUREMENTS = 4;

const sourcesSchema = z.array(z.object({ service: serviceSchema, sources: z.array(z.string()) }));
const outcomeSchema = z.object({ requests: z.number(), isFound: z.boolean() });

interface Cost {
  readonly source: string;
  readonly sizeBytes: number;
  readonly parseMs: number;
  readonly readMs: number;
  readonly plainMs: number;
  readonly ratio: number;
  readonly plainRatio: number;
  readonly isFound: boolean;
}

/**
 * CPU of each source on its largest recording with media, compared with only reading as many bytes
 * by the same bounded fetch, and with the runtime's plain reader. A source that finds media in no
 * recording gets its service's largest.
 */
export async function measureParsing(bench: Bench): Promise<Findings> {
  const { stubs } = bench;
  const bundle = await build("test/bench/parsing-worker.ts");
  const runtime = await startRuntime({ bundle, vars: stubs.vars });
  const recordings = await readRecordings();
  const costs: Cost[] = [];
  try {
    const sources = sourcesSchema.parse(await (await fetch(runtime.url)).json());
    const pairs = sources.flatMap(({ service, sources: names }) =>
      names.map((name) => ({ service, name })),
    );
    for (const { service, name } of pairs) {
      const own = recordings.filter((recording) => recording.service === service);
      const subject = (recording: Recording) => ({ service, name, recording });
      const found = await firstFound(own.map(subject), (one) => attempt(bench, runtime, one));
      const [largest] = own;
      const chosen = found ?? (largest === undefined ? undefined : subject(largest));
      if (chosen !== undefined) costs.push(await costOf(bench, runtime, chosen));
    }
    for (const share of EARLY_SHARES) {
      const early = earlyPage(recordings, share);
      if (early !== null) costs.push(await costOf(bench, runtime, early));
    }
  } finally {
    await runtime.stop();
  }
  return {
    figures: { parse_ratio_max: Math.max(...costs.map(({ ratio }) => ratio)) },
    lines: costs.map(({ source, sizeBytes, isFound, ...cost }) => [
      source,
      `${cost.ratio} (${rounded(cost.parseMs)} ms to ${rounded(cost.readMs)} ms, ${sizeBytes} bytes${isFound ? "" : ", no media"}), plainly read ${cost.plainRatio} (${rounded(cost.plainMs)} ms)`,
    ]),
    raw: costs,
  };
}

interface Subject {
  readonly service: Service;
  readonly name: string;
  readonly recording: Recording;
  /** What is special about the recording. */
  readonly note?: string;
}

/** Where in a page the block is put that ends the reading. */
const EARLY_SHARES = [0.33, 0.66];
const BLOCK = '<script type="application/json" data-sjs>{"xig_polaris_media":';
const itemsSchema = z.object({ items: z.tuple([z.unknown()]) });

/** The largest permalink page with its block moved forward and shown to visitors. Null without one. */
function earlyPage(recordings: readonly Recording[], share: number): Subject | null {
  const recording = recordings.find(({ body }) => body.includes(BLOCK));
  if (recording === undefined) return null;
  const at = recording.body.lastIndexOf(BLOCK);
  const page = recording.body.slice(0, at);
  const json = recording.body.slice(at + BLOCK.length).replace(/\}<\/script>.*$/s, "");
  const whole: unknown = JSON.parse(json);
  const item = itemsSchema.safeParse(whole).data?.items[0] ?? whole;
  const block = `${BLOCK}${JSON.stringify({ if_not_gated_logged_out: item })}}</script>`;
  const place = page.indexOf("{", page.length * share) - 1;
  const start = page.slice(0, place);
  // The script that is cut in two is no JSON any more, and is not parsed, since it does not name the post.
  const body = `${start}</script>${block}<script>${page.slice(place)}`;
  const note = `, block ends at ${rounded((start.length + block.length) / body.length)} of it`;
  return { service: "photo-feed", name: "permalink", recording: { ...recording, body }, note };
}

async function firstFound(
  subjects: readonly Subject[],
  tryOut: (subject: Subject) => Promise<Outcome>,
): Promise<Subject | undefined> {
  for (const subject of subjects) {
    if ((await tryOut(subject)).isFound) return subject;
  }
  return undefined;
}

type Outcome = z.infer<typeof outcomeSchema>;

async function attempt({ stubs }: Bench, runtime: Runtime, subject: Subject): Promise<Outcome> {
  await stubs.behave({ upstreamBody: subject.recording.body });
  return run(runtime, subject, { reads: null, isPlain: false, times: 1 });
}

interface Repeat {
  /** Requests whose bytes are only read. Null for the source's whole work. */
  readonly reads: number | null;
  readonly isPlain: boolean;
  readonly times: number;
}

async function run(
  { url, pid }: Runtime,
  { service, name, recording: { postUrl } }: Subject,
  { reads, isPlain, times }: Repeat,
): Promise<Outcome & { readonly cpuMs: number }> {
  const beforeMs = await threadsCpuMs(pid);
  const task = { service, source: name, postUrl, times, reads, isPlain };
  const reply = await fetch(url, { method: "POST", body: JSON.stringify(task) });
  const outcome = outcomeSchema.parse(await reply.json());
  return { ...outcome, cpuMs: ((await threadsCpuMs(pid)) - beforeMs) / times };
}

async function costOf(bench: Bench, runtime: Runtime, subject: Subject): Promise<Cost> {
  const { requests: reads, isFound } = await attempt(bench, runtime, subject);
  const sizeBytes = Buffer.byteLength(subject.recording.body);
  const times = Math.min(
    TIMES_MAX,
    Math.max(TIMES_MIN, Math.floor(BYTES_A_MEASUREMENT / sizeBytes)),
  );
  const round = async () => {
    const spent = { parseMs: 0, readMs: 0, plainMs: 0 };
    const cpuMs = async (repeat: Omit<Repeat, "times">) =>
      (await run(runtime, subject, { ...repeat, times })).cpuMs / MEASUREMENTS;
    for (let measurement = 0; measurement < MEASUREMENTS; measurement++) {
      spent.parseMs += await cpuMs({ reads: null, isPlain: false });
      spent.readMs += await cpuMs({ reads, isPlain: false });
      spent.plainMs += await cpuMs({ reads, isPlain: true });
    }
    return spent;
  };
  await round();
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  for (let done = 0; done < bench.effort.rounds; done++) rounds.push(await round());
  return {
    source: `${subject.service} ${subject.name}${subject.note ?? ""}`,
    sizeBytes,
    parseMs: median(rounds.map(({ parseMs }) => parseMs)),
    readMs: median(rounds.map(({ readMs }) => readMs)),
    plainMs: median(rounds.map(({ plainMs }) => plainMs)),
    ratio: rounded(median(rounds.map(({ parseMs, readMs }) => parseMs / readMs))),
    plainRatio: rounded(median(rounds.map(({ parseMs, plainMs }) => parseMs / plainMs))),
    isFound,
  };
}
