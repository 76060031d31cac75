import { createServer, type ServerResponse } from "node:http";
import type { TestProject } from "vitest/node";

/** Answers by the path of the target. Echoes every other request. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/silent": () => {},
  "/headers-only": (response) => response.writeHead(200).flushHeaders(),
  "/hangs": (response) => response.writeHead(200).write("the whole answer."),
  "/truncated": (response) => {
    response.writeHead(200, { "content-length": "1000" }).write("ten bytes.");
    setTimeout(() => response.destroy(), 20);
  },
  "/wall": (response) => response.writeHead(302, { location: "https://login.example/" }).end("x"),
  "/moved": (response) => response.writeHead(301, { location: "/echo?moved" }).end("x"),
};

/** Vitest starts it on Node before the worker's tests. */
export default async function setup(project: TestProject): Promise<() => void> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://gateway").searchParams;
    const target = new URL(query.get("url") ?? "https://none.example/");
    const answer = ANSWERS[target.pathname];
    if (answer !== undefined) return answer(response);
    const { method, headers } = request;
    response.end(JSON.stringify({ method, headers, query: [...query], target: target.href }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  project.provide("hostileUrl", `http://127.0.0.1:${port}/fetch?key=a%20b`);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
