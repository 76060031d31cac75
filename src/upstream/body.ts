import type { Progress } from "./patience.ts";

/** The first buffer fits most JSON. A body that fills it gets larger ones. */
const FIRST_BUFFER_BYTES = 16_384;
const BUFFER_BYTES = 65_536;

interface Reading {
  /** A longer body is not read to its end. */
  readonly maxBytes: number;
  /** Told each piece of the text once, in order. Reading ends when it says so. */
  readonly isWhole: (piece: string) => boolean;
  /** Ends the reading, whatever the body does. */
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/**
 * The text of a body. Null if it has more than `maxBytes`. Cancels what is not read. Counts bytes
 * after decompression, so that a small archive cannot grow without limit.
 * @throws what the body fails with, and at the signal
 */
export async function readText(
  body: ReadableStream<Uint8Array>,
  { maxBytes, isWhole, signal, progress }: Reading,
): Promise<string | null> {
  const { read, cancel } = open(body);
  const leave = () => void cancel().catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await read(); part !== null; part = await read()) {
    // Some bodies go on after they were cancelled.
    signal.throwIfAborted();
    progress.sizeBytes += part.byteLength;
    const isTooLong = progress.sizeBytes > maxBytes;
    const piece = isTooLong ? "" : decoder.decode(part, { stream: true });
    text += piece;
    if (isTooLong || isWhole(piece)) {
      leave();
      return isTooLong ? null : text;
    }
  }
  return text + decoder.decode();
}

interface Reader {
  /** The next bytes, which are valid until the next call. Null at the end. */
  readonly read: () => Promise<Uint8Array | null>;
  readonly cancel: () => Promise<void>;
}

/**
 * The runtime's own bodies are byte streams, which fill a buffer. Without one they come in pieces of
 * 4 KB, at three times the cost (workerd, 2026-11).
 */
function open(body: ReadableStream<Uint8Array>): Reader {
  const reader = byteReader(body);
  if (reader === null) return openPlain(body.getReader());
  let buffer = new Uint8Array(FIRST_BUFFER_BYTES);
  const read = async () => {
    const { done, value } = await reader.read(buffer);
    if (done) return null;
    const { buffer: used, byteLength } = value;
    const isTooSmall = byteLength === used.byteLength && byteLength < BUFFER_BYTES;
    buffer = isTooSmall ? new Uint8Array(BUFFER_BYTES) : new Uint8Array(used);
    return value;
  };
  return { read, cancel: () => reader.cancel() };
}

/** Null for a stream of whole chunks, which only a program makes. */
function byteReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}

function openPlain(reader: ReadableStreamDefaultReader<Uint8Array>): Reader {
  const read = async () => {
    const { done, value } = await reader.read();
    return done ? null : value;
  };
  return { read, cancel: () => reader.cancel() };
}
