import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { text } from "node:stream/consumers";

/** The only address that the local stack listens on. */
export const LOOPBACK = "127.0.0.1";

/**
 * Starts listening on the loopback address; port 0 takes a free one.
 * @returns the address as a URL without a trailing slash
 * @throws the system's error when the port is taken (`EADDRINUSE`) or not allowed
 */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening on a port");
  return `http://${LOOPBACK}:${address.port}`;
}

/** Stops listening and drops the connections that clients keep open. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** The complete body of a request, as text. */
export function readBody(request: IncomingMessage): Promise<string> {
  return text(request);
}
