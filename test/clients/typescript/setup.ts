import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const PACKAGE = fileURLToPath(new URL("../../../infra/clients/typescript/", import.meta.url));
const CONSUMER = fileURLToPath(new URL("consumer/", import.meta.url));

const execute = promisify(execFile);

declare module "vitest" {
  interface ProvidedContext {
    /** An empty project in which the packed client is installed, and the programs that use it. */
    readonly consumer: string;
    /** The package as `npm pack` makes it. */
    readonly tarball: string;
  }
}

/** Packs the client, and installs the package into an empty folder as a customer would. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "consumer-"));
  await execute("npm", ["pack", "--pack-destination", folder], { cwd: PACKAGE });
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error("npm pack has made no package");
  const tarball = join(folder, name);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await execute("npm", ["install", "--offline", "--no-audit", tarball], { cwd: folder });
  await cp(CONSUMER, folder, { recursive: true });
  project.provide("consumer", folder);
  project.provide("tarball", tarball);
  return () => rm(folder, { recursive: true });
}
