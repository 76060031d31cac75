import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { close, listen } from "../../infra/local/loopback.ts";
import type { Block } from "../node/blocks.ts";
import { type Ran, shell } from "../node/pages.ts";
import { differenceOf } from "./shown.ts";

/** The port that the pages show. */
const PORT_SHOWN = 8787;
const STARTED_WITHIN_MS = 60_000;

/** Does what the pages say, block by block, as somebody with one terminal for commands does. */
export interface Reader {
  /** Executes a block. @returns what went wrong; null if everything is as the page says */
  readonly follow: (block: Block) => Promise<string | null>;
  /** Ends what the pages have started. */
  readonly stop: () => Promise<void>;
}

/** What the reader knows between two blocks. */
interface Session {
  readonly folder: string;
  readonly port: number;
  /** The file that carries variables and the working folder from block to block. */
  readonly state: string;
  servers: ChildProcess[];
  page: string;
  last: Ran | null;
}

type Step = (session: Session, block: Block) => Promise<string | null>;

/** How a block of each language is executed. A block of another language is a problem. */
const STEPS: Readonly<Record<string, Step>> = {
  sh: followCommands,
  ts: (session, block) => followProgram(session, block, "node"),
  python: (session, block) => followProgram(session, block, "python3"),
  json: compare,
  text: compare,
};

export const LANGUAGES = Object.keys(STEPS);

/** @param folder a copy of the repository, which the reader may change */
export async function openReader(folder: string): Promise<Reader> {
  const state = join(folder, "..", "session.sh");
  await writeFile(state, `cd '${folder}'\n`);
  const port = await freePort();
  const session: Session = { folder, port, state, servers: [], page: "", last: null };
  return {
    follow: async (block) => {
      if (block.page !== session.page) session.last = null;
      session.page = block.page;
      const step = STEPS[block.language];
      return step === undefined ? `no language "${block.language}"` : step(session, block);
    },
    stop: async () => {
      for (const server of session.servers) await end(server);
      await rm(state, { force: true });
    },
  };
}

/** The shown port if nobody uses it, else another one, which then stands in its place everywhere. */
async function freePort(): Promise<number> {
  return (await portIfFree(PORT_SHOWN)) ?? (await portIfFree(0)) ?? PORT_SHOWN;
}

async function portIfFree(port: number): Promise<number | null> {
  const probe = createServer();
  try {
    const url = await listen(probe, port);
    await close(probe);
    return Number(new URL(url).port);
  } catch {
    return null;
  }
}

async function followCommands(session: Session, block: Block): Promise<string | null> {
  const lines = block.text.split("\n");
  const server = lines.findIndex((line) => line.startsWith("npm run dev"));
  if (server === -1) return run(session, block.text);
  const problem = await run(session, lines.slice(0, server).join("\n"));
  return problem ?? (await serve(session, lines.slice(server).join("\n")));
}

/** Like a terminal: what one block exports, and where it goes, holds for the next one. */
async function run(session: Session, commands: string): Promise<string | null> {
  const { state, port } = session;
  const script = [
    `. '${state}'`,
    "set -eu -o pipefail",
    commands.replaceAll(`:${PORT_SHOWN}`, `:${port}`),
    `{ export -p; printf 'cd %q\\n' "$PWD"; } > '${state}'`,
  ];
  session.last = await shell(script.join("\n"));
  const { code, error } = session.last;
  return code === 0 ? null : `it ended with ${code}: ${error}`;
}

async function followProgram(
  session: Session,
  { text, file }: Block,
  program: string,
): Promise<string | null> {
  const name = file ?? (program === "node" ? "my-app/sample.ts" : "sample.py");
  const save = `cat > '${name}' <<'END_OF_SAMPLE'\n${text}\nEND_OF_SAMPLE`;
  return run(session, `${save}\n${program} '${name}'`);
}

/** The block shows what the block before it has printed. */
async function compare({ last, port }: Session, block: Block): Promise<string | null> {
  if (last === null) return "it shows the output of nothing";
  const out = last.out.replaceAll(`:${port}`, `:${PORT_SHOWN}`);
  return differenceOf(block.language, block.text, out);
}

/** Starts a command that goes on until it is ended, and waits until it is ready. */
async function serve(session: Session, command: string): Promise<string | null> {
  const own = session.port === PORT_SHOWN ? command : `${command} --port ${session.port}`;
  const child = spawn("bash", ["-c", `. '${session.state}'\n${own}`], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  session.servers.push(child);
  const lines: string[] = [];
  const ready = Promise.withResolvers<string | null>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      if (line.startsWith("Ready on ")) ready.resolve(null);
    });
  }
  const failed = (why: string) => ready.resolve(`${why}: ${lines.join("\n")}`);
  child.once("exit", () => failed("it has ended"));
  const late = setTimeout(() => failed("it is not ready"), STARTED_WITHIN_MS);
  const problem = await ready.promise;
  clearTimeout(late);
  session.last = { out: lines.join("\n"), error: "", code: 0 };
  return problem;
}

/** Ends the command with all that it has started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  await exited;
}
