import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** `npm run dev` as a process, and what it prints. */

const SCRIPT = fileURLToPath(new URL("dev-process.ts", import.meta.url));

/** Starts the command; `lines` grows as it prints. */
export function startDev(folder: string, ...options: string[]) {
  const child = spawn(process.execPath, [SCRIPT, folder, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, lines }));
  const ready = Promise.withResolvers<string>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      const url = /^Ready on (http:.*)$/.exec(line)?.[1];
      if (url !== undefined) ready.resolve(url);
    });
  }
  void ended.then(() => ready.reject(new Error(lines.join("\n"))));
  ready.promise.catch(() => {});
  return { child, lines, ended, ready: ready.promise };
}

/** The first key that the command has printed. */
export function keyOf(lines: readonly string[]): string {
  return /svc_live_\w+/.exec(lines.join("\n"))?.[0] ?? "no key";
}
