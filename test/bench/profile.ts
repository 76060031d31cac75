import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import * as z from "zod";
import { close, listen } from "../../infra/local/loopback.ts";
import type { Bench, Findings } from "./bench.ts";
import { build } from "./build.ts";
import { applyLoad } from "./load.ts";
import { startRuntime } from "./runtime.ts";
import { rounded } from "./statistics.ts";
import { calls, upstreamReply, WORKLOADS } from "./workload.ts";

const SAMPLING_INTERVAL_US = 500;
const LINES_SHOWN = 24;

const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.int(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.int() }),
    }),
  ),
  samples: z.array(z.int()),
  timeDeltas: z.array(z.number()),
});
type Profile = z.infer<typeof profileSchema>;

/** Where the CPU of a successful request goes: self time by package, in a build with names. */
export async function measureProfile({ stubs, effort }: Bench): Promise<Findings> {
  const bundle = await build(undefined, { readable: true });
  const inspectorPort = await freePort();
  await stubs.behave({ upstreamBody: upstreamReply() });
  const runtime = await startRuntime({ bundle, vars: stubs.vars, inspectorPort });
  const call = calls(stubs, WORKLOADS.resolve);
  const load = { url: `${runtime.url}/v1/resolve`, call, concurrency: 8, status: 200 };
  try {
    await applyLoad({ ...load, requests: effort.warmup });
    const inspector = await openInspector(inspectorPort);
    await inspector.send("Profiler.enable", {});
    await inspector.send("Profiler.setSamplingInterval", { interval: SAMPLING_INTERVAL_US });
    await inspector.send("Profiler.start", {});
    await applyLoad({ ...load, requests: effort.requests });
    const { profile } = z
      .object({ profile: profileSchema })
      .parse(await inspector.send("Profiler.stop", {}));
    inspector.close();
    await writeFile(`${bundle.path}.cpuprofile`, JSON.stringify(profile));
    const owners = selfTimes(profile, await ownersOf(bundle.path));
    const perRequest = [...owners]
      .map(([owner, us]) => [owner, rounded(us / effort.requests, 1)] as const)
      .toSorted(([, a], [, b]) => b - a);
    return {
      figures: {},
      lines: perRequest.slice(0, LINES_SHOWN).map(([owner, us]) => [owner, `${us} µs a request`]),
      raw: Object.fromEntries(perRequest),
    };
  } finally {
    await runtime.stop();
  }
}

/** The module of each line. The build writes a module's path above its code. */
async function ownersOf(path: string): Promise<readonly string[]> {
  let owner = "runtime";
  const lines = (await readFile(path, "utf8")).split("\n");
  return lines.map((line) => {
    const file = /^\/\/ (\S+\.[cm]?[jt]s(?:on)?)$/.exec(line)?.[1];
    if (file !== undefined) owner = ownerOf(file);
    return owner;
  });
}

function ownerOf(file: string): string {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
  return name ?? file;
}

function selfTimes(profile: Profile, owners: readonly string[]): Map<string, number> {
  const nodes = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  for (const [index, id] of profile.samples.entries()) {
    const frame = nodes.get(id);
    const isOurs = frame?.url !== undefined && frame.url !== "";
    const owner = isOurs ? owners[frame.lineNumber] : frame?.functionName;
    if (owner === undefined || owner === "(idle)") continue;
    times.set(owner, (times.get(owner) ?? 0) + (profile.timeDeltas[index] ?? 0));
  }
  return times;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const { port } = new URL(await listen(server));
  await close(server);
  return Number(port);
}

const targetsSchema = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const answerSchema = z.object({ id: z.int(), result: z.unknown().optional() });

/** The part of the DevTools protocol that a profile needs. */
async function openInspector(port: number) {
  const targets = await fetch(`http://127.0.0.1:${port}/json`);
  const [target] = targetsSchema.parse(await targets.json());
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "");
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
  let last = 0;
  const send = (method: string, params: object) => {
    const id = ++last;
    return new Promise<unknown>((resolve) => {
      const hear = (message: MessageEvent) => {
        const answer = answerSchema.safeParse(JSON.parse(String(message.data)));
        if (!answer.success || answer.data.id !== id) return;
        socket.removeEventListener("message", hear);
        resolve(answer.data.result);
      };
      socket.addEventListener("message", hear);
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  return { send, close: () => socket.close() };
}
