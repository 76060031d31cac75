import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Bench, Findings } from "./bench.ts";
import type { Bundle } from "./build.ts";
import { threadsCpuMs } from "./processor-time.ts";
import { startRuntime } from "./runtime.ts";
import { median, rounded } from "./statistics.ts";

const EMPTY = "export default { fetch() { return new Response() } };\n";

/**
 * CPU from the process's start to its first answer, less what a worker without content takes: the
 * bundle's parsing and evaluation, the configuration, and one answer of 404.
 */
export async function measureStartup({ service, stubs, effort }: Bench): Promise<Findings> {
  const empty: Bundle = { path: join(dirname(service.path), "empty.js"), gzipBytes: 0 };
  await writeFile(empty.path, EMPTY);
  const firstAnswer = async (bundle: Bundle) => {
    const runtime = await startRuntime({ bundle, vars: stubs.vars });
    try {
      await (await fetch(runtime.url)).text();
      return await threadsCpuMs(runtime.pid);
    } finally {
      await runtime.stop();
    }
  };
  const rounds: { serviceMs: number; emptyMs: number }[] = [];
  for (let round = 0; round < effort.rounds * 2; round++) {
    rounds.push({ serviceMs: await firstAnswer(service), emptyMs: await firstAnswer(empty) });
  }
  const ours = median(rounds.map(({ serviceMs }) => serviceMs));
  const nothing = median(rounds.map(({ emptyMs }) => emptyMs));
  return {
    figures: { startup_cpu_ms: rounded(ours - nothing, 1) },
    lines: [["start-up of an empty worker", `${rounded(nothing, 1)} ms CPU`]],
    raw: rounds,
  };
}
