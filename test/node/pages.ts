import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import * as z from "zod";

/** What a page of Markdown holds that can be checked. */

/** The contents of a page's code blocks of one language. */
export function blocks(page: string, language: string): string[] {
  const found = page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"));
  return [...found].map(([, block = ""]) => block.trim());
}

/** Every `npm run …` and `npm test …` of a page, in a code block or within back-ticks. */
export function npmCommands(page: string): string[] {
  return [...page.matchAll(/npm (?:run|test)\b[^`\n|&]*/g)].map(([command]) => command.trim());
}

export interface Ran {
  readonly out: string;
  readonly error: string;
  readonly code: number | null;
}

/** Runs a command as a reader would, from the repository's root. */
export async function shell(command: string, env: Record<string, string> = {}): Promise<Ran> {
  const child = spawn("bash", ["-c", command], { env: { ...process.env, ...env } });
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, error, code };
}

const execute = promisify(execFile);

const manifestSchema = z.object({ scripts: z.record(z.string(), z.string()) });
export const { scripts } = manifestSchema.parse(JSON.parse(await readFile("package.json", "utf8")));

/**
 * What is wrong with an `npm` command: a script that does not exist, or an option that its `--help`
 * does not name. Only our own commands have a `--help`.
 */
export async function problemsOf(command: string): Promise<string[]> {
  const [, name = "test", rest = ""] =
    /^npm (?:run (?:--silent )?)?([\w:-]+)(?: -- (.*))?$/.exec(command) ?? [];
  const script = scripts[name];
  if (script === undefined) return [`${command}: there is no script ${name}`];
  const file = /^(?:exec )?node .*?(\S+\.ts)$/.exec(script)?.[1];
  const options = [...rest.matchAll(/(?:^|\s)(--[a-z-]+)/g)].map(([, option = ""]) => option);
  if (file === undefined || options.length === 0) return [];
  const isUnknown = (help: string) => (option: string) =>
    option !== "--help" && !help.includes(`${option} `);
  const missing = options.filter(isUnknown(await helpOf(file)));
  if (missing.length === 0) return [];
  // A subcommand's own options are in its own help.
  const words = rest
    .replace(/ > .*$/, "")
    .replaceAll(/"?<[^>]*>"?|"\$\w+"/g, "x")
    .split(" ");
  const { stdout } = await execute(process.execPath, [file, ...words, "--help"]);
  const unknown = missing.filter(isUnknown(stdout));
  return unknown.map((option) => `${command}: ${option} is not in its --help`);
}

const helps = new Map<string, Promise<string>>();

function helpOf(file: string): Promise<string> {
  const help = helps.get(file) ?? shell(`node ${file} --help`).then(({ out }) => out);
  helps.set(file, help);
  return help;
}
