import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = import.meta.dirname;
const LOCK = join(FOLDER, "package-lock.json");
/** A copy of the lock file that was installed last. */
const INSTALLED = join(FOLDER, "node_modules", ".installed-lock.json");

/**
 * Installs the tools that only the longer proofs need, unless they are there already.
 * @returns the path of one of their commands
 * @throws Error if npm cannot install them
 */
export async function toolPath(command: string): Promise<string> {
  const lock = await readFile(LOCK, "utf8");
  const installed = await readFile(INSTALLED, "utf8").catch(() => null);
  if (installed !== lock) {
    await install();
    await writeFile(INSTALLED, lock);
  }
  return join(FOLDER, "node_modules", ".bin", command);
}

async function install(): Promise<void> {
  const npm = spawn("npm", ["ci"], { cwd: FOLDER, stdio: ["ignore", "ignore", "inherit"] });
  const [status]: unknown[] = await once(npm, "close");
  if (status !== 0) throw new Error(`npm ci in ${FOLDER} ended with ${status}`);
}
