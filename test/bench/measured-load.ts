import { applyLoad, type Call, type Load, type LoadOptions } from "./load.ts";
import { residentBytes, threadsCpuMs } from "./processor-time.ts";
import type { Runtime } from "./runtime.ts";

/** A worker and what it is asked. */
export interface Subject {
  readonly runtime: Runtime;
  readonly call: () => Call;
}

/** What one load took. */
export interface Turn extends Load {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export async function turn(
  { runtime: { pid, url }, call }: Subject,
  options: Pick<LoadOptions, "requests" | "concurrency" | "status">,
): Promise<Turn> {
  const beforeMs = await threadsCpuMs(pid);
  const load = await applyLoad({ ...options, url: `${url}/v1/resolve`, call });
  const cpuMs = (await threadsCpuMs(pid)) - beforeMs;
  return { ...load, cpuMs, residentBytes: await residentBytes(pid) };
}
