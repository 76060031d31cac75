import type { MediaItem } from "../contract/contract.ts";

/** What the headers of a medium announce. */
export interface Announced {
  /** Without parameters. Null if there is none. */
  readonly contentType: string | null;
  /** Of the whole medium. Null if it is not said, or said of a compressed form of it. */
  readonly sizeBytes: number | null;
  /** The first byte that this response has; 0 for a whole one. */
  readonly startBytes: number;
  /** Proves with `If-Range` that the medium is still the same. Null if it cannot be proved. */
  readonly validator: string | null;
}

/** Hosts say this of files whose type they do not know. */
const UNTYPED: readonly string[] = ["application/octet-stream", "binary/octet-stream"];

/** Reads the headers of a 200 or 206. Null for a 206 that does not say which part it is. */
export function readAnnounced({ status, headers }: Response): Announced | null {
  const type = headers.get("Content-Type")?.split(";", 1)[0]?.trim().toLowerCase();
  const contentType = type ?? null;
  const isPlain = (headers.get("Content-Encoding") ?? "identity") === "identity";
  if (!isPlain) return { contentType, sizeBytes: null, startBytes: 0, validator: null };
  const extent = status === 206 ? partialExtent(headers) : wholeExtent(headers);
  return extent && { contentType, ...extent, validator: validatorOf(headers) };
}

function wholeExtent(headers: Headers) {
  const length = /^\d{1,15}$/.exec(headers.get("Content-Length") ?? "")?.[0];
  return { startBytes: 0, sizeBytes: length === undefined ? null : Number(length) };
}

function partialExtent(headers: Headers) {
  const text = headers.get("Content-Range") ?? "";
  const range = /^bytes (\d{1,15})-\d{1,15}\/(?:(\d{1,15})|\*)$/.exec(text);
  if (range === null) return null;
  const [, start, size] = range;
  return { startBytes: Number(start), sizeBytes: size === undefined ? null : Number(size) };
}

/** A weak tag proves nothing about the bytes (RFC 9110, section 13.1.5). */
function validatorOf(headers: Headers): string | null {
  const tag = headers.get("ETag");
  return tag?.startsWith('"') === true ? tag : headers.get("Last-Modified");
}

/** Whether a file of this type can be the item. A missing type says nothing. */
export function isTypeOf(contentType: string | null, { type }: Pick<MediaItem, "type">): boolean {
  if (contentType === null || UNTYPED.includes(contentType)) return true;
  if (contentType.startsWith(`${type}/`)) return true;
  // The sound of an MP4 container comes under the container's type.
  return type === "audio" && contentType === "video/mp4";
}
