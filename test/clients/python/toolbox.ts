import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** What a program said and how it ended. */
export interface Ran {
  readonly output: string;
  /** Null if it could not be started, or was killed. */
  readonly code: number | null;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program from the repository's root. What it prints on both streams becomes one text. */
export async function run(
  [program = "", ...rest]: readonly string[],
  { env = {}, input }: RunOptions = {},
): Promise<Ran> {
  const own = { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env };
  const child = spawn(program, rest, { env: own });
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  // A program that ends early closes its input: what counts then is its own message.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [output, code] = await Promise.all([said, ended]);
  return { output: output.join(""), code };
}

const IS_RECENT = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/** A Python that the client runs on, with what makes environments. Null if there is none. */
export async function findPython(): Promise<string | null> {
  for (const name of ["python3", "python3.12", "python3.11", "python3.10", "python"]) {
    const { code } = await run([name, "-c", IS_RECENT]);
    if (code === 0) return name;
  }
  return null;
}

/** A new, empty environment. Returns its Python. */
export async function makeEnvironment(python: string, folder: string): Promise<string> {
  const { code, output } = await run([python, "-m", "venv", folder]);
  if (code !== 0) throw new Error(`${python} -m venv: ${output}`);
  return join(folder, "bin", "python");
}

/** Installs packages. Returns why it cannot, in pip's own last words; null if it did. */
export async function install(python: string, packages: readonly string[]): Promise<string | null> {
  const quiet = ["--quiet", "--no-input", "--disable-pip-version-check"];
  const { code, output } = await run([python, "-m", "pip", "install", ...quiet, ...packages]);
  return code === 0 ? null : (output.trim().split("\n").at(-1) ?? "");
}
