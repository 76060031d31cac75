import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bench, Findings } from "./bench.ts";
import type { Bundle } from "./build.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

const EMPTY = "export default { fetch() { return new Response() } };\n";

/**
 * CPU of the start, as Cloudflare bounds it: parsing and evaluating the bundle. It is the CPU of
 * the process until it listens, minus that of an empty worker. Beside it, the first answer, a 404,
 * which also reads the configuration and creates the clients.
 */
export async function measureStartup({ service, stubs, effort }: Bench): Promise<Findings> {
  const empty: Bundle = { path: join(dirname(service.path), "empty.js"), gzipBytes: 0 };
  await writeFile(empty.path, EMPTY);
  const start = async (bundle: Bundle): Promise<Start> => {
    const runtime = await startRuntime({ bundle, vars: stubs.vars });
    try {
      const listeningMs = await threadsCpuMs(runtime.pid);
      await (await fetch(runtime.url)).text();
      return { listeningMs, answeredMs: await threadsCpuMs(runtime.pid) };
    } finally {
      await runtime.stop();
    }
  };
  const rounds: { readonly service: Start; readonly empty: Start }[] = [];
  for (let round = 0; round < effort.rounds * 2; round++) {
    rounds.push({ service: await start(service), empty: await start(empty) });
  }
  const middle = (read: (round: (typeof rounds)[number]) => number) =>
    rounded(median(rounds.map(read)), 1);
  return {
    figures: {
      startup_cpu_ms: middle((one) => one.service.listeningMs - one.empty.listeningMs),
      first_answer_cpu_ms: middle((one) => one.service.answeredMs - one.empty.answeredMs),
    },
    lines: [["start-up of an empty worker", `${middle((one) => one.empty.listeningMs)} ms CPU`]],
    raw: rounds,
  };
}

/** CPU time that a process has used. */
interface Start {
  readonly listeningMs: number;
  readonly answeredMs: number;
}
