import type { MediaItem } from "../contract/contract.ts";
import { DownloadError } from "../contract/errors.ts";
import { within } from "../runtime/time.ts";
import type { DownloadOptions } from "./download.ts";
import { SIZE_MAX_BYTES, STALL_MS } from "./limits.ts";
import { type MediaLine, requestMedia } from "./request.ts";

/** A medium as a stream. */
export interface OpenedMedia {
  /** Fails with a DownloadError when it ends before, or after, the announced length. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly contentType: string | null;
  /** Null if the host did not say. */
  readonly sizeBytes: number | null;
}

/**
 * Opens one medium. Only the beginning is bounded in time; whoever reads the stream bounds the rest, or
 * cancels it.
 */
export async function open(
  line: MediaLine,
  item: MediaItem,
  { signal, stallMs = STALL_MS, sizeMaxBytes = SIZE_MAX_BYTES }: DownloadOptions,
): Promise<OpenedMedia> {
  const ending = new AbortController();
  const anyEnd = signal === undefined ? ending.signal : AbortSignal.any([ending.signal, signal]);
  const begun = await within(stallMs, signal, () =>
    requestMedia(line, item, { rest: null, signal: anyEnd }),
  );
  if (!begun.ended) {
    ending.abort(begun.cause);
    if (begun.cause instanceof DownloadError) throw begun.cause;
    throw new DownloadError("The media host did not answer.", { cause: begun.cause });
  }
  if (begun.value.kind === "failed") throw begun.value.error;
  const opened = begun.value.kind === "media" ? begun.value : null;
  if (opened === null || opened.announced.startBytes !== 0) {
    ending.abort();
    throw new DownloadError("The media host sent a part that nobody asked for.");
  }
  const { contentType, sizeBytes } = opened.announced;
  const body = opened.response.body ?? new Blob([]).stream();
  return { body: body.pipeThrough(measure(sizeBytes, sizeMaxBytes)), contentType, sizeBytes };
}

function measure(sizeBytes: number | null, sizeMaxBytes: number) {
  let readBytes = 0;
  const wrong = () =>
    new DownloadError(
      `${readBytes} bytes came in place of ${sizeBytes ?? `at most ${sizeMaxBytes}`}.`,
    );
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, controller) {
      readBytes += part.byteLength;
      if (readBytes > (sizeBytes ?? sizeMaxBytes)) throw wrong();
      controller.enqueue(part);
    },
    flush() {
      if (sizeBytes !== null && readBytes !== sizeBytes) throw wrong();
    },
  });
}
