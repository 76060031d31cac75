import { DownloadError } from "../contract/errors.ts";
import { isRecord } from "../runtime/record.ts";
import type { Announced } from "./announced.ts";
import type { Rest } from "./request.ts";

/** What takes the bytes. Both fail with a DownloadError, since no retry mends a file system. */
export interface PartWriter {
  readonly append: (bytes: Uint8Array) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A download that is not complete: its bytes, and beside them what proves that they still fit. */
export interface PartFile {
  /** What is still missing. Null if all is, or if nothing proves that the bytes still fit. */
  readonly rest: () => Promise<Rest | null>;
  /** Opens it at the announced first byte: everything after that is dropped. */
  readonly openAt: (announced: Announced) => Promise<PartWriter>;
  readonly discard: () => Promise<void>;
  /** Moves it to its final path, in one step. */
  readonly finish: () => Promise<void>;
}

/** @throws DownloadError where there is no file system */
export async function partFile(path: string): Promise<PartFile> {
  // Imported here, so that the package also loads where there is no file system.
  const fs = await import("node:fs/promises").catch((cause: unknown) => {
    throw new DownloadError("There is no file system here: download without a path.", { cause });
  });
  const part = `${path}.part`;
  const note = `${part}.json`;
  const discard = async () => {
    await Promise.all([fs.rm(part, { force: true }), fs.rm(note, { force: true })]);
  };
  return {
    discard,
    rest: async () => {
      const [stat, text] = await Promise.all([
        fs.stat(part).catch(() => null),
        fs.readFile(note, "utf8").catch(() => ""),
      ]);
      const validator = readNote(text);
      if (stat === null || stat.size === 0 || validator === null) return null;
      return { startBytes: stat.size, validator };
    },
    openAt: ({ startBytes, validator }) =>
      onDisk(async () => {
        // An old note beside new bytes would prove what is not so.
        if (startBytes === 0) await discard();
        const handle = await fs.open(part, "a");
        if (startBytes === 0 && validator !== null) {
          await fs.writeFile(note, JSON.stringify({ validator }));
        }
        return {
          append: (bytes) => onDisk(() => handle.appendFile(bytes)),
          close: () => onDisk(() => handle.close()),
        };
      }),
    finish: () =>
      onDisk(async () => {
        await fs.rename(part, path);
        await fs.rm(note, { force: true });
      }),
  };
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new DownloadError("The file cannot be written.", { cause });
  }
}

function readNote(text: string): string | null {
  try {
    const note: unknown = JSON.parse(text);
    const validator = isRecord(note) ? note["validator"] : null;
    return typeof validator === "string" ? validator : null;
  } catch {
    return null;
  }
}
