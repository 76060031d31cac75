import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { StackError } from "./stack-error.ts";
import { type News, newsSchema, type Order } from "./worker-messages.ts";

const STOP_WITHIN_MS = 5_000;
const START_WITHIN_MS = 60_000;
const CRON_WITHIN_MS = 50_000;

/** Stops wrangler from using the internet, writing log files and serving pages for a browser. */
const QUIET = {
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
} as const;

/** The worker in its real runtime. */
export interface LocalWorker {
  readonly url: string;
  /** Fires the cron trigger and waits until it is done. Rejects if the handler does. */
  readonly runCron: () => Promise<void>;
  /** Settles when the worker has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface LocalWorkerOptions {
  /** Without one, a free port is taken. */
  readonly port?: number | undefined;
  /** File of another worker to start instead of the service's. */
  readonly entry?: string | undefined;
  /** Variables and secrets. They override those of `wrangler.toml`. */
  readonly vars: Readonly<Record<string, string>>;
  /** Whether a change of the source code restarts the worker. */
  readonly watch?: boolean | undefined;
  /** Called with each line that the worker or its runtime prints. */
  readonly onLog: (line: string) => void;
}

/**
 * Starts the worker, on the loopback address only.
 * @throws StackError that says why it does not start. Nothing is left running then.
 */
export async function startWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const child = fork(fileURLToPath(new URL("worker-process.ts", import.meta.url)), {
    // A process group of its own: Ctrl-C reaches only the stack, which then stops the rest in order.
    detached: process.platform !== "win32",
    env: { ...process.env, ...QUIET },
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const ended = once(child, "exit").then(() => killGroup(child));
  const stop = () => stopChild(child, ended);
  passOn(child, options.onLog);
  try {
    send(child, {
      type: "start",
      port: options.port ?? 0,
      entry: options.entry,
      vars: { ...options.vars },
      watch: options.watch ?? false,
    });
    const url = await readiness(child);
    return { url, runCron: () => runCron(url), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function send(child: ChildProcess, order: Order): void {
  child.send(order);
}

function readiness(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new StackError(`The worker does not start: ${reason}.`));
    const timeout = setTimeout(fail, START_WITHIN_MS, "it takes too long");
    child.once("exit", () => fail("its process ended"));
    child.on("message", (message) => {
      const news = newsSchema.parse(message);
      if (news.type === "log") return;
      clearTimeout(timeout);
      if (news.type === "ready") resolve(news.url);
      else fail(news.reason);
    });
  });
}

/** The worker's log lines arrive as messages; the runtime's own lines arrive on the pipes. */
function passOn(child: ChildProcess, onLog: (line: string) => void): void {
  child.on("message", (message) => {
    const news: News = newsSchema.parse(message);
    if (news.type === "log") onLog(news.line);
  });
  for (const input of [child.stdout, child.stderr]) {
    if (input !== null) createInterface({ input }).on("line", onLog);
  }
}

async function runCron(url: string): Promise<void> {
  const reply = await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`, {
    signal: AbortSignal.timeout(CRON_WITHIN_MS),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${reply.status} ${text}`);
}

async function stopChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  if (child.connected) send(child, { type: "stop" });
  const timeout = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timeout);
}

/** Kills what is left of the process group when the process did not stop in order. */
function killGroup(child: ChildProcess): void {
  if (process.platform === "win32" || child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is empty.
  }
}
