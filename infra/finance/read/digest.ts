import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

const READ_BYTES = 1 << 20;

/** @param written base64 or hex; exports and their copies use both. */
export function sameDigest(digest: Buffer, written: string): boolean {
  const text = written.trim();
  return text === digest.toString("base64") || text.toLowerCase() === digest.toString("hex");
}

/** MD5 of a file's bytes. */
export async function md5Of(path: string): Promise<Buffer> {
  const md5 = createHash("md5");
  await pipeline(createReadStream(path, { highWaterMark: READ_BYTES }), md5);
  return md5.digest();
}
