import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import type { Media, SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound, type Refusal, type SourceFailure } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { type Upstream, type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import type { Draft } from "./draft.ts";
import type { PinDraft } from "./pin.ts";

const HOSTS = ["i.pinimg.com", "v1.pinimg.com"] as const;

/** Most requests for one pin: a video has up to six guesses, a carousel one for each image. */
const MAX_CHECKS = { video: 6, image: 20, audio: 0 } as const;

/**
 * Makes as many of a pin's drafts into media as are wanted: a guess is returned when a HEAD request has found it, and what
 * the reply named otherwise. A video that exists as a playlist alone is left out.
 */
export async function checkDrafts(
  pin: Answer<PinDraft>,
  { upstream, maxResults }: Pick<SourceTools, "upstream" | "maxResults">,
): Promise<Answer<Media>> {
  if (!pin.ok) return pin;
  const { drafts, metadata } = pin.value;
  const checker = new Checker(upstream);
  const items = new Map<string, MediaItem>();
  for (const draft of drafts) {
    if (items.size === maxResults) break;
    const url = (await checker.firstThere(draft)) ?? draft.url;
    if (url !== null && !items.has(url)) items.set(url, { type: draft.type, url });
  }
  if (items.size === 0) return nothing(drafts, checker.failure);
  return success({ items: [...items.values()], metadata });
}

/** Why there are no items: nothing is there, a check failed, or the reply did not say. */
function nothing(drafts: readonly Draft[], failure: SourceFailure | null): Refusal {
  if (failure !== null) return { ok: false, failure };
  const isPlaylist = drafts.some(({ guesses }) => guesses.length > 0);
  if (isPlaylist) return notFound("a playlist without any file beside it");
  return drifted("the reply names no file of the media", "url", JSON.stringify(drafts));
}

/** Counts the requests of one pin. */
class Checker {
  failure: SourceFailure | null = null;
  readonly #upstream: Upstream;
  readonly #left: Record<MediaItem["type"], number> = { ...MAX_CHECKS };

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  async firstThere({ type, guesses }: Draft): Promise<string | null> {
    for (const url of guesses) {
      if (this.#left[type] === 0) return null;
      this.#left[type]--;
      if (await this.#isThere(url, type)) return url;
    }
    return null;
  }

  /** The platform answers 403 for files that do not exist (public worker, 2026-10). */
  async #isThere(url: string, type: MediaItem["type"]): Promise<boolean> {
    const request = { url, hosts: HOSTS, maxBytes: 10_000, maxRedirects: 0 };
    const reply = await this.#upstream({ ...request, method: "HEAD" });
    if (!reply.ok) this.failure ??= reply.failure;
    else if (isAbsent(reply.value)) return false;
    else if (reply.value.status === 200) return isOf(reply.value, type);
    else this.failure ??= unexpectedStatus(reply.value).failure;
    return false;
  }
}

function isAbsent({ status }: UpstreamReply): boolean {
  return [403, 404, 410].includes(status);
}

function isOf({ headers }: UpstreamReply, type: MediaItem["type"]): boolean {
  const contentType = headers.get("content-type") ?? "";
  return type === "video" ? /^video\/mp4\b/i.test(contentType) : /^image\//i.test(contentType);
}
