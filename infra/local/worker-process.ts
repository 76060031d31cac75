/**
 * The process that runs the worker in its real runtime. It exists so that the runtime dies with the
 * stack: when the stack's process ends, however it ends, the channel to it closes and this one stops.
 */
import { fileURLToPath } from "node:url";
import { unstable_startWorker as startWorker } from "wrangler";
import { LOOPBACK } from "./loopback.ts";
import { type News, type Order, orderSchema } from "./worker-messages.ts";

type Worker = Awaited<ReturnType<typeof startWorker>>;

let worker: Worker | undefined;

process.on("message", (message) => {
  const order = orderSchema.parse(message);
  if (order.type === "stop") void stop();
  else void start(order);
});
process.on("disconnect", () => void stop());
// The pipes break when the stack's process is killed; that is no reason to stop in disorder.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});

async function start(order: Extract<Order, { type: "start" }>): Promise<void> {
  try {
    worker = await startWorker({
      config: fileURLToPath(new URL("../../wrangler.toml", import.meta.url)),
      // A name that no file has: the developer's `.dev.vars` and `.env` stay out of it.
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
        structuredLogsHandler: ({ message }) => tell({ type: "log", line: message }),
      },
    });
    const url = await Promise.race([worker.url, firstFailure(worker)]);
    tell({ type: "ready", url: url.origin });
  } catch (error) {
    tell({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
  }
}

/** Rejects when the worker cannot be built; wrangler has then printed why. */
function firstFailure(starting: Worker): Promise<never> {
  return new Promise((_, reject) => {
    starting.raw.once("buildFailed", () => reject(new Error("it does not build")));
    starting.raw.once("error", (event: { readonly reason?: unknown }) =>
      reject(new Error(String(event.reason ?? event))),
    );
  });
}

async function stop(): Promise<void> {
  try {
    await worker?.dispose();
  } finally {
    process.exit(0);
  }
}

function tell(news: News): void {
  if (process.connected) process.send?.(news);
}
