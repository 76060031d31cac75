import type { MediaItem } from "../contract/contract.ts";
import { DownloadError } from "../contract/errors.ts";
import { backoffMs } from "../resolve/retry.ts";
import { sleep, within } from "../runtime/time.ts";
import type { Announced } from "./announced.ts";
import { SIZE_MAX_BYTES, STALL_MS } from "./limits.ts";
import { type PartFile, type PartWriter, partFile } from "./part-file.ts";
import { type MediaLine, type MediaResponse, type Rest, requestMedia } from "./request.ts";

export interface DownloadOptions {
  /** So long without a byte ends an attempt: 30 s by default. */
  readonly stallMs?: number | undefined;
  /** Larger media are refused: 4 GiB by default. */
  readonly sizeMaxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Downloaded {
  readonly path: string;
  readonly sizeBytes: number;
  readonly contentType: string | null;
  /** Bytes of an earlier attempt were kept. */
  readonly resumed: boolean;
}

interface Limits extends Pick<DownloadOptions, "signal"> {
  readonly stallMs: number;
  readonly sizeMaxBytes: number;
}

type Transfer =
  | { readonly done: Omit<Downloaded, "path"> }
  | { readonly done: null; readonly error: DownloadError };

/** Downloads one medium to a file. An attempt that breaks off is resumed by the next one. */
export async function download(
  line: MediaLine,
  item: MediaItem,
  path: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  const { stallMs = STALL_MS, sizeMaxBytes = SIZE_MAX_BYTES, signal } = options;
  const part = await partFile(path);
  for (let attempts = 1; ; attempts++) {
    const limits = { stallMs, sizeMaxBytes, signal };
    const transfer = await tryOnce(line, item, part, limits);
    if (transfer.done !== null) {
      await part.finish();
      return { path, ...transfer.done };
    }
    if (attempts >= line.attemptsMax) throw transfer.error;
    await sleep(backoffMs(attempts, line.random()), signal);
  }
}

async function tryOnce(
  line: MediaLine,
  item: MediaItem,
  part: PartFile,
  limits: Limits,
): Promise<Transfer> {
  const ending = new AbortController();
  const { stallMs, signal } = limits;
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const timed = await within(stallMs, signal, work);
    if (timed.ended) return timed.value;
    throw timed.isTimeOver ? new Error(`no byte for ${stallMs} ms`) : timed.cause;
  };
  try {
    const rest = await part.rest();
    const asked = { rest, signal: ending.signal };
    const media = await inTime(() => requestMedia(line, item, asked));
    if (media.kind === "failed") return { done: null, error: media.error };
    if (media.kind === "media" && fits(media.announced, rest)) {
      return { done: await write(media, part, limits, inTime) };
    }
    await part.discard();
    const error = new DownloadError("The media host sent another part than the one asked for.");
    return { done: null, error };
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof DownloadError) throw cause;
    return { done: null, error: new DownloadError("The download broke off.", { cause }) };
  } finally {
    ending.abort();
  }
}

/** A whole medium, or the rest that was asked for, of the same medium. */
function fits({ startBytes, validator }: Announced, rest: Rest | null): boolean {
  if (startBytes === 0) return true;
  return startBytes === rest?.startBytes && (validator ?? rest.validator) === rest.validator;
}

type InTime = <T>(work: () => Promise<T>) => Promise<T>;

async function write(
  { response, announced }: Extract<MediaResponse, { kind: "media" }>,
  part: PartFile,
  { sizeMaxBytes }: Limits,
  inTime: InTime,
): Promise<Omit<Downloaded, "path">> {
  const { contentType, sizeBytes: announcedBytes, startBytes } = announced;
  const mostBytes = Math.min(announcedBytes ?? sizeMaxBytes, sizeMaxBytes);
  if ((announcedBytes ?? 0) > sizeMaxBytes) {
    throw new DownloadError(`The medium has ${announcedBytes} bytes, more than ${sizeMaxBytes}.`);
  }
  const writer = await part.openAt(announced);
  let sizeBytes = startBytes;
  try {
    sizeBytes += await copy(response, writer, mostBytes - startBytes, inTime);
  } finally {
    await writer.close();
  }
  if (announcedBytes !== null && sizeBytes !== announcedBytes) {
    throw new Error(`${sizeBytes} bytes came in place of ${announcedBytes}`);
  }
  return { sizeBytes, contentType, resumed: startBytes > 0 };
}

/** @throws DownloadError when more comes than was announced */
async function copy(
  { body }: Response,
  writer: PartWriter,
  mostBytes: number,
  inTime: InTime,
): Promise<number> {
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = body?.getReader();
  if (reader === undefined) return 0;
  let copiedBytes = 0;
  for (
    let next = await inTime(() => reader.read());
    !next.done;
    next = await inTime(() => reader.read())
  ) {
    copiedBytes += next.value.byteLength;
    if (copiedBytes > mostBytes) throw new DownloadError("More bytes came than the medium has.");
    await writer.append(next.value);
  }
  return copiedBytes;
}
