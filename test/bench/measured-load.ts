import { applyLoad, type Call, type Load, type LoadOptions } from "./load.ts";
import { residentBytes, threadsCpuMs } from "./processor-time.ts";
import type { Runtime } from "./runtime.ts";

/** A worker and what it is asked. */
export interface Subject {
  readonly runtime: Runtime;
  readonly call: () => Call;
}

/** A load, and what it cost the worker. */
export interface MeasuredLoad extends Load {
  readonly cpuMs: number;
  readonly residentBytes: number;
}

export async function measureLoad(
  { runtime: { pid, url }, call }: Subject,
  options: Pick<LoadOptions, "requests" | "concurrency" | "status">,
): Promise<MeasuredLoad> {
  const beforeMs = await threadsCpuMs(pid);
  const load = await applyLoad({ ...options, url: `${url}/v1/resolve`, call });
  const cpuMs = (await threadsCpuMs(pid)) - beforeMs;
  return { ...load, cpuMs, residentBytes: await residentBytes(pid) };
}
