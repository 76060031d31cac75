import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { shell } from "../node/pages.ts";
import { openReader, type Reader } from "./reader.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = [
  "src",
  "test",
  "infra",
  "README.md",
  "package.json",
  "tsconfig.json",
  "wrangler.toml",
];
/** What commands have made. */
const MADE = new Set(["node_modules", "dist", ".local", ".wrangler", "__pycache__"]);

/** A reader with a repository of their own, which is deleted in the end. */
export interface Guest extends Reader {
  readonly folder: string;
}

/** A copy of the files as they are now. What `npm ci` would install is that of this repository. */
export async function inviteToCopy(): Promise<Guest> {
  return invite(async (folder) => {
    await mkdir(folder);
    const filter = (path: string) => !MADE.has(basename(path));
    for (const part of PARTS) {
      await cp(join(ROOT, part), join(folder, part), { recursive: true, filter });
    }
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  });
}

/** A clone of what is committed, with nothing installed. */
export async function inviteToClone(): Promise<Guest> {
  return invite(async (folder) => {
    const { code, error } = await shell(`git clone --quiet '${ROOT}' '${folder}'`);
    if (code !== 0) throw new Error(error);
  });
}

async function invite(fill: (folder: string) => Promise<void>): Promise<Guest> {
  const home = await mkdtemp(join(tmpdir(), "reader-"));
  const folder = join(home, "repository");
  await fill(folder);
  const reader = await openReader(folder);
  const stop = async () => {
    await reader.stop();
    await rm(home, { recursive: true, force: true });
  };
  return { ...reader, folder, stop };
}
