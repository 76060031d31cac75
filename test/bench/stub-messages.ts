import * as z from "zod";

export const BACKENDS = ["dynamodb", "upstash", "upstream"] as const;

/** Orders from the benchmark to the process of the stubs. Each order is answered. */
export const orderSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("start"),
    /** Items of the keys' table by `key_id`, in DynamoDB's JSON. */
    keys: z.record(z.string(), z.string()),
  }),
  z.object({
    type: z.literal("behave"),
    /** How long the stores, or the platform, take to answer. */
    storeDelayMs: z.number(),
    upstreamDelayMs: z.number(),
    /** Body of the platform's answers. */
    upstreamBody: z.string(),
    /** The item that refuses every update, in DynamoDB's JSON. Null if all succeed. */
    refusal: z.string().nullable(),
  }),
  z.object({ type: z.literal("count") }),
]);
export type Order = z.infer<typeof orderSchema>;

/** From that process: the stubs' addresses, and how many requests each has had. */
export const newsSchema = z.object({
  urls: z.record(z.enum(BACKENDS), z.string()),
  requests: z.record(z.enum(BACKENDS), z.int()),
});
export type News = z.infer<typeof newsSchema>;
