import * as z from "zod";

/** From the stack to the worker's process. */
export const orderSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    /** 0 takes a free port. */
    port: z.int(),
    /** File of another worker to start instead of the service's. */
    entry: z.string().optional(),
    /** Variables and secrets. They override those of `wrangler.toml`. */
    vars: z.record(z.string(), z.string()),
    /** Whether a change of the source code restarts the worker. */
    watch: z.boolean(),
  }),
  z.object({ type: z.literal("stop") }),
]);
export type Order = z.infer<typeof orderSchema>;

/** From the worker's process to the stack. */
export const newsSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), url: z.url() }),
  z.object({ type: z.literal("failed"), reason: z.string() }),
  z.object({ type: z.literal("log"), line: z.string() }),
]);
export type News = z.infer<typeof newsSchema>;
