import { readFile, writeFile } from "node:fs/promises";
import type { Runtime } from "./runtime.ts";

/** Requests that load and compile what every request needs. */
const WARM_UPS = 20;
/** The smallest counts: a run may have met garbage that was not collected yet. */
const REPEATS = 3;

/** What is measured, each time in a runtime of its own. */
interface Request {
  readonly start: () => Promise<Runtime>;
  /** A small request of the same kind. */
  readonly warmUp: (runtime: Runtime) => Promise<unknown>;
  readonly send: (runtime: Runtime) => Promise<unknown>;
}

/**
 * How much more memory the runtime holds at the highest during one request than before it, in MB. Includes
 * what the benchmark's worker needs to hand the reply over. In a fresh runtime, since one that has
 * served others has room left that nobody sees.
 */
export async function peakMemoryMb({ start, warmUp, send }: Request): Promise<number> {
  const peaks: number[] = [];
  for (let done = 0; done < REPEATS; done++) {
    const runtime = await start();
    try {
      for (let warm = 0; warm < WARM_UPS; warm++) await warmUp(runtime);
      // Sets the peak to what is held now (proc(5)).
      await writeFile(`/proc/${runtime.pid}/clear_refs`, "5");
      const { residentMb } = await memoryOf(runtime);
      await send(runtime);
      peaks.push((await memoryOf(runtime)).peakMb - residentMb);
    } finally {
      await runtime.stop();
    }
  }
  return Math.min(...peaks);
}

async function memoryOf({ pid }: Runtime) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const mb = (name: string) => {
    return (Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) * 1024) / 1e6;
  };
  return { residentMb: mb("VmRSS"), peakMb: mb("VmHWM") };
}
