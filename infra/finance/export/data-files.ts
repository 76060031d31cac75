import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createGzip } from "node:zlib";
import type { DataFile } from "./layout.ts";

/** Data files of one export, filled one after the other. */
export interface DataFiles {
  /** Returns a promise if the disk cannot keep up. */
  readonly write: (line: string) => Promise<void> | undefined;
  /** Closes the last file. Returns the entries for `manifest-files.json`. */
  readonly finish: () => Promise<DataFile[]>;
}

export interface DataFilesOptions {
  /** An existing folder. */
  readonly folder: string;
  /** S3 key of the folder. */
  readonly key: string;
  /** Beginning of the files' names. */
  readonly name: string;
  readonly itemsPerFile: number;
}

const CHUNK_CHARACTERS = 1 << 20;

export function createDataFiles(options: DataFilesOptions): DataFiles {
  const entries: DataFile[] = [];
  let file: OpenFile | null = null;

  const next = async () => {
    if (file !== null) entries.push(await file.close());
    file = null;
  };
  const start = () => openFile(options, entries.length);

  const write = (line: string) => {
    file ??= start();
    const behind = file.write(line);
    return file.isFull() ? next() : behind;
  };
  const finish = async () => {
    await next();
    entries.push(await start().close());
    return entries;
  };
  return { write, finish };
}

interface OpenFile {
  readonly write: (line: string) => Promise<void> | undefined;
  readonly isFull: () => boolean;
  readonly close: () => Promise<DataFile>;
}

function openFile({ folder, key, name, itemsPerFile }: DataFilesOptions, index: number): OpenFile {
  const fileName = `${name}-${String(index).padStart(4, "0")}.json.gz`;
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  const md5 = createHash("md5");
  gzip.on("data", (bytes: Buffer) => void md5.update(bytes));
  const written = pipeline(gzip, createWriteStream(join(folder, fileName)));
  let itemCount = 0;
  let waiting = "";

  const flush = async () => {
    const chunk = waiting;
    waiting = "";
    if (!gzip.write(chunk)) await once(gzip, "drain");
  };
  const write = (line: string) => {
    itemCount += 1;
    waiting += `${line}\n`;
    return waiting.length > CHUNK_CHARACTERS ? flush() : undefined;
  };
  const close = async () => {
    gzip.end(waiting);
    await written;
    const digest = md5.digest();
    return {
      itemCount,
      md5Checksum: digest.toString("base64"),
      etag: `${digest.toString("hex")}-1`,
      dataFileS3Key: `${key}/${fileName}`,
    };
  };
  return { write, isFull: () => itemCount >= itemsPerFile, close };
}
