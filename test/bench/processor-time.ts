import { readdir, readFile } from "node:fs/promises";

/** CPU time of a process, user and system, over all of its living threads. Linux only. */
export async function threadsCpuMs(pid: number): Promise<number> {
  let sumNs = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const schedstat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
    sumNs += Number(schedstat.split(" ")[0]);
  }
  return sumNs / 1e6;
}

/** Memory of a process that is in RAM now. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
