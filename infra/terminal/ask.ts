import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Answer, answer, problem } from "./answer.ts";

/** Far more than any secret has: what is longer is read no further. */
const SECRET_CHARACTERS_MAX = 4_096;

/** Where a person is asked. Questions go to standard error, so that the output stays clean. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const STANDARD: Terminal = { input: process.stdin, output: process.stderr };

/** Asks before something that cannot be undone. Without a terminal, as in a script, nobody agrees. */
export async function confirm(question: string, terminal = STANDARD): Promise<Answer<void>> {
  const { input, output } = terminal;
  if (input.isTTY !== true || output.isTTY !== true) {
    return problem(`${question} Nobody can be asked without a terminal. Say it with --yes.`);
  }
  const reply = await readLine(`${question} [y/N] `, terminal);
  return /^y(es)?$/i.test(reply.trim()) ? answer(undefined) : problem("Nothing was changed.");
}

/** Reads a secret: on a terminal one line, which is not shown, else all of standard input. */
export async function readSecret(prompt: string, terminal = STANDARD): Promise<string> {
  const { input, output } = terminal;
  if (input.isTTY === true) {
    output.write(prompt);
    const hidden = new Writable({ write: (_chunk: unknown, _encoding, done) => done() });
    const secret = await readLine("", { input, output: hidden });
    output.write("\n");
    return secret;
  }
  let text = "";
  input.setEncoding("utf8");
  for await (const chunk of input) {
    text += chunk;
    if (text.length > SECRET_CHARACTERS_MAX) break;
  }
  return text;
}

/** Empty when the reader is closed, as by Ctrl-C or Ctrl-D. */
async function readLine(prompt: string, { input, output }: Terminal): Promise<string> {
  const lines = createInterface({ input, output, terminal: true });
  const closed = once(lines, "close").then(() => "");
  const line = lines.question(prompt).catch(() => "");
  const reply = await Promise.race([line, closed]);
  lines.close();
  return reply;
}
