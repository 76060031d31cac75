import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Media } from "../../search/resolver.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import type { Answer } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson } from "../../upstream/json.ts";
import { cobaltFailure } from "./errors.ts";

const fileSchema = z.object({ url: z.string(), filename: z.nullish(z.string()) });

const pickSchema = z.object({ type: z.string(), url: z.string() });
type Pick = z.infer<typeof pickSchema>;

/**
 * Cobalt's answers, except `local-processing`, which our request excludes (its documentation,
 * 2026-04).
 */
const replySchema = z.discriminatedUnion("status", [
  z.extend(fileSchema, { status: z.literal("redirect") }),
  z.extend(fileSchema, { status: z.literal("tunnel") }),
  z.object({
    status: z.literal("picker"),
    picker: z.array(pickSchema).check(z.minLength(1)),
    audio: z.nullish(z.string()),
  }),
  z.object({ status: z.literal("error"), error: z.object({ code: z.string() }) }),
]);

/** Reads an instance's answer, whatever its HTTP status. */
export function parseCobalt(body: string): Answer<Media> {
  const read = readJson(body, replySchema);
  if (!read.ok) return read;
  const reply = read.value;
  if (reply.status === "error") return cobaltFailure(reply.error.code, body);
  const items = reply.status === "picker" ? picked(reply) : fileOf(reply);
  if (items === null) return drifted("no file of a known type", "type", body);
  return success({ items, metadata: { title: null, author: null, caption: null } });
}

/** A slideshow's sound comes after its images. Null if there are none of a known kind. */
function picked(reply: { picker: readonly Pick[]; audio?: string | null | undefined }) {
  const items = reply.picker.flatMap((pick) => toItem(pick) ?? []);
  if (items.length === 0) return null;
  return reply.audio ? [...items, { type: "audio", url: reply.audio } as const] : items;
}

/**
 * GIF-like loops are MP4 files unless the URL says otherwise, because we do not ask for conversion.
 * Null for a new kind of medium.
 */
function toItem({ type, url }: Pick): MediaItem | null {
  if (type === "photo") return { type: "image", url };
  if (type === "gif" && extensionOf(url) === "gif") return { type: "image", url };
  return type === "gif" || type === "video" ? { type: "video", url } : null;
}

const EXTENSIONS: ReadonlyMap<string, MediaItem["type"]> = new Map([
  ...["mp4", "webm", "mov", "m4v"].map((extension) => [extension, "video"] as const),
  ...["jpg", "jpeg", "png", "webp", "gif", "heic", "avif"].map(
    (extension) => [extension, "image"] as const,
  ),
  ...["mp3", "m4a", "ogg", "opus", "wav"].map((extension) => [extension, "audio"] as const),
]);

/**
 * Only the name says what type a single file has. A wrong guess could return a poster as a video.
 */
function fileOf({ url, filename }: z.infer<typeof fileSchema>): readonly MediaItem[] | null {
  const type = EXTENSIONS.get(extensionOf(filename ?? "")) ?? EXTENSIONS.get(extensionOf(url));
  return type === undefined ? null : [{ type, url }];
}

/** With its point. */
const EXTENSION_CHARACTERS_MAX = 5;

/** The extension of a file's name or of a URL's path, in lower case. */
function extensionOf(name: string): string {
  const path = parseAddress(name)?.pathname ?? name.slice(-EXTENSION_CHARACTERS_MAX);
  return /\.([a-z0-9]{2,4})$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}
