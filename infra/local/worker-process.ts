/**
 * The process that runs the worker in its real runtime. It is a process of its own so that the
 * runtime ends with the stack: when the stack's process ends, for any reason, the channel to it
 * closes and this process stops.
 */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { unstable_DevEnv as DevEnv } from "wrangler";
import { LOOPBACK } from "./loopback.ts";
import { type News, type Order, orderSchema } from "./worker-messages.ts";

const runtime = new DevEnv();

process.on("message", (message) => {
  const order = orderSchema.parse(message);
  if (order.type === "stop") void stop();
  else void start(order);
});
process.on("disconnect", () => void stop());
// The pipes break when the stack's process is killed. This process must still stop in order.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

async function start(order: Extract<Order, { type: "start" }>): Promise<void> {
  try {
    const serving = Promise.race([once(runtime, "reloadComplete"), firstFailure()]);
    const worker = await runtime.startWorker({
      config: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)),
      ...(order.entry !== undefined && { entrypoint: order.entry }),
      // No file has this name, so the developer's `.dev.vars` and `.env` are not read.
      envFiles: [".no-env-file"],
      bindings: Object.fromEntries(
        Object.entries(order.vars).map(([name, value]) => [name, { type: "plain_text", value }]),
      ),
      sendMetrics: false,
      dev: {
        server: { hostname: LOOPBACK, port: order.port },
        inspector: false,
        persist: false,
        watch: order.watch,
        logLevel: "error",
        structuredLogsHandler: (log: { readonly message: string }) =>
          tell({ type: "log", line: log.message }),
      },
    });
    await serving;
    tell({ type: "ready", url: (await worker.url).origin });
  } catch (error) {
    tell({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Rejects when the worker cannot be built or run. Wrangler prints the reason itself. */
async function firstFailure(): Promise<never> {
  const [failure]: unknown[] = await Promise.race([
    once(runtime, "buildFailed"),
    once(runtime, "error"),
  ]);
  throw failure instanceof Error ? failure : new Error("the lines above say why");
}

async function stop(): Promise<void> {
  try {
    await runtime.teardown();
  } finally {
    process.exit(0);
  }
}

function tell(news: News): void {
  if (process.connected) process.send?.(news);
}
