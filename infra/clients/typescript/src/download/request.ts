import type { MediaItem } from "../contract/contract.ts";
import { DownloadError } from "../contract/errors.ts";
import { expiresAt } from "../services/expires-at.ts";
import { serviceOfMedia } from "../services/services.ts";
import { type MediaRules, mediaAddress } from "./address.ts";
import { type Announced, isTypeOf, readAnnounced } from "./announced.ts";

/** How downloads go out. */
export interface MediaLine {
  readonly fetch: typeof fetch;
  readonly rules: MediaRules;
  readonly attemptsMax: number;
  /** From 0 up to 1, for the jitter of waits. */
  readonly random: () => number;
}

/** The part of a medium that is still missing. */
export interface Rest {
  readonly startBytes: number;
  readonly validator: string;
}

export interface MediaRequest {
  /** Null asks for the whole medium. */
  readonly rest: Rest | null;
  readonly signal: AbortSignal;
}

/**
 * `response` is a 200 or 206 with a medium of the right type. `failed` may pass; a failure that will not
 * pass is thrown.
 */
export type MediaResponse =
  | { readonly kind: "media"; readonly response: Response; readonly announced: Announced }
  | { readonly kind: "unusable range" }
  | { readonly kind: "failed"; readonly error: DownloadError };

const REDIRECTS_MAX = 5;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const PASSING: readonly number[] = [408, 425, 429, 500, 502, 503, 504];

/**
 * Asks a media host. Sends no key, no cookie and no `Referer`; after a 403 once with the `Referer` that the
 * platform wants, if it wants one.
 * @throws DownloadError for what no retry mends
 */
export async function requestMedia(
  line: MediaLine,
  item: MediaItem,
  asked: MediaRequest,
): Promise<MediaResponse> {
  const first = await follow(line, item, asked, null);
  if (first.status !== 403) return read(first, item);
  const referer = serviceOfMedia(hostOf(item))?.refererAfter403 ?? null;
  if (referer === null) return read(first, item);
  await discard(first);
  return read(await follow(line, item, asked, referer), item);
}

/** The host alone may be told: the rest of a media URL is often signed. */
export function hostOf({ url }: MediaItem): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Follows redirects by hand, since each address must be allowed. */
async function follow(
  { fetch: send, rules }: MediaLine,
  item: MediaItem,
  { rest, signal }: MediaRequest,
  referer: string | null,
): Promise<Response> {
  const headers = {
    Accept: "*/*",
    // A compressed medium could be neither measured nor resumed.
    "Accept-Encoding": "identity",
    ...(rest !== null && { Range: `bytes=${rest.startBytes}-`, "If-Range": rest.validator }),
    ...(referer !== null && { Referer: referer }),
  };
  let url = mediaAddress(item.url, undefined, rules);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    if (url === null) throw forbidden(redirects);
    const response = await send(url, { headers, redirect: "manual", signal });
    const location = response.headers.get("Location");
    if (location === null || !REDIRECTS.includes(response.status)) return response;
    await discard(response);
    url = mediaAddress(location, url.href, rules);
  }
  throw new DownloadError(`The media host redirects more than ${REDIRECTS_MAX} times.`);
}

function forbidden(redirects: number): DownloadError {
  const what = redirects === 0 ? "The item's URL" : "A redirect of the media host";
  return new DownloadError(`${what} does not lead to a media host of a service over https.`);
}

async function read(response: Response, item: MediaItem): Promise<MediaResponse> {
  const { status } = response;
  if (status === 200 || status === 206) return readMedia(response, item);
  await discard(response);
  if (status === 416) return { kind: "unusable range" };
  const error = new DownloadError(refusalOf(status, item), { status });
  if (PASSING.includes(status)) return { kind: "failed", error };
  throw error;
}

async function readMedia(response: Response, item: MediaItem): Promise<MediaResponse> {
  const announced = readAnnounced(response);
  if (announced === null) {
    await discard(response);
    return { kind: "unusable range" };
  }
  const { contentType } = announced;
  if (isTypeOf(contentType, item)) return { kind: "media", response, announced };
  await discard(response);
  const message = `${hostOf(item)} sent ${contentType} in place of a medium of type ${item.type}.`;
  throw new DownloadError(message, { status: response.status });
}

function refusalOf(status: number, item: MediaItem): string {
  const ended = expiresAt(item);
  const isOver = ended !== null && ended.getTime() <= Date.now();
  const why = isOver ? ` Its URL ended at ${ended.toISOString()}: resolve the post again.` : "";
  return `${hostOf(item)} answered ${status}.${why}`;
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
