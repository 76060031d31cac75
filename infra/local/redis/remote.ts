import { createClient, ErrorReply } from "@redis/client";
import * as z from "zod";
import type { Command, Outcome, Redis, Reply } from "./command.ts";

const RECONNECT_AFTER_MS = 500;

const replySchema: z.ZodType<Reply> = z.lazy(() =>
  z.union([z.string(), z.number(), z.null(), z.array(replySchema)]),
);

/**
 * A Redis server, over one connection. Commands fail at once while the connection is down.
 * @throws when there is no server at the address
 */
export async function remoteEngine(url: string): Promise<Redis> {
  let isUp = false;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: () => (isUp ? RECONNECT_AFTER_MS : false) },
  });
  // Each command reports its own failure. Without a listener, the event would end the process.
  client.on("error", () => {});
  await client.connect();
  isUp = true;

  const send = (command: Command) => outcomeOf(client.sendCommand([...command]));
  return {
    stop: async () => client.destroy(),
    run: async (commands, atomic) => {
      if (!atomic) return Promise.all(commands.map(send));
      // All are sent at once over one connection, so no other command of this process comes between.
      const outcomes = await Promise.all([["MULTI"], ...commands, ["EXEC"]].map(send));
      return unfold(outcomes.slice(1, -1), outcomes.at(-1));
    },
  };
}

/** EXEC answers a list of the outcomes. When it is refused, the answer of each command says why. */
function unfold(queued: readonly Outcome[], exec: Outcome | undefined): readonly Outcome[] {
  if (exec === undefined || "error" in exec) return queued;
  if (typeof exec.result !== "object" || exec.result === null) return queued;
  return exec.result.map((result) => ({ result }));
}

async function outcomeOf(reply: Promise<unknown>): Promise<Outcome> {
  try {
    return { result: replySchema.parse(await reply) };
  } catch (error) {
    if (error instanceof ErrorReply) return { error: error.message };
    return { error: `ERR ${error instanceof Error ? error.message : "no reply"}` };
  }
}
