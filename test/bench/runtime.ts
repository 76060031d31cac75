import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import workerd from "workerd";
import * as z from "zod";
import { LOOPBACK } from "../../infra/local/loopback.ts";
import type { Bundle } from "./build.ts";

const WRANGLER_TOML = fileURLToPath(new URL("../../wrangler.toml", import.meta.url));

/** A worker in its own runtime process, on the loopback address. */
export interface Runtime {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

export interface RuntimeOptions {
  readonly bundle: Bundle;
  readonly vars: Readonly<Record<string, string>>;
  /** Address of the inspector. Without it there is none. */
  readonly inspectorPort?: number;
  /** Told each line that the runtime itself complains with; without it, they are shown. */
  readonly onComplaint?: (line: string) => void;
}

/** Starts `workerd serve`, without wrangler and without a proxy in front. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const config = `${options.bundle.path}.capnp`;
  await writeFile(config, await configText(options));
  const { inspectorPort: port } = options;
  const inspector = port === undefined ? [] : [`--inspector-addr=${LOOPBACK}:${port}`];
  const args = ["serve", config, "--control-fd=3", ...inspector];
  // The worker writes its log as in production, but nobody reads it here.
  const { onComplaint } = options;
  const stderr = onComplaint === undefined ? "inherit" : "pipe";
  const child = spawn(workerd.default, args, { stdio: ["ignore", "ignore", stderr, "pipe"] });
  if (child.stderr !== null && onComplaint !== undefined) {
    createInterface({ input: child.stderr }).on("line", onComplaint);
  }
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  try {
    const port = await Promise.race([listeningPort(child), ended.then(failToStart)]);
    return { url: `http://${LOOPBACK}:${port}`, pid: child.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const newsSchema = z.object({ event: z.literal("listen"), port: z.int() });

async function listeningPort(child: ChildProcess): Promise<number> {
  const control = child.stdio[3];
  if (!(control instanceof Readable)) throw new Error("workerd has no control channel");
  for await (const line of createInterface({ input: control })) {
    const news = newsSchema.safeParse(JSON.parse(line));
    if (news.success) return news.data.port;
  }
  return failToStart();
}

function failToStart(): never {
  throw new Error("workerd does not start");
}

async function configText({ bundle, vars }: RuntimeOptions): Promise<string> {
  const { date, flags } = await compatibility();
  const bindings = Object.entries(vars).map(
    ([name, value]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(value)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = "worker.js", esModule = embed ${JSON.stringify(basename(bundle.path))})],
      compatibilityDate = "${date}",
      compatibilityFlags = ${flags},
      bindings = [${bindings.join(", ")}],
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "${LOOPBACK}:0", http = (), service = "worker")],
);
`;
}

/** The compatibility settings of the deployed worker. */
async function compatibility(): Promise<{ date: string; flags: string }> {
  const toml = await readFile(WRANGLER_TOML, "utf8");
  const date = /^compatibility_date = "(.*)"$/m.exec(toml)?.[1];
  const flags = /^compatibility_flags = (\[.*\])$/m.exec(toml)?.[1];
  if (date === undefined) throw new Error("wrangler.toml has no compatibility_date");
  return { date, flags: flags ?? "[]" };
}
