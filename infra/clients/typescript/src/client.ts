import manifest from "../package.json" with { type: "json" };
import type { MediaItem, ResolveResponse, Service } from "./contract/contract.ts";
import { PublicMediaError, UnrecognizedUrlError } from "./contract/errors.ts";
import { type Downloaded, type DownloadOptions, download } from "./download/download.ts";
import { type OpenedMedia, open } from "./download/open.ts";
import {
  assertWithin,
  type ClientOptions,
  readOptions,
  type Settings,
  TIME_MAX_MS,
} from "./options.ts";
import type { Credits, RateLimit } from "./resolve/answer.ts";
import { call } from "./resolve/call.ts";
import { each, type Items } from "./runtime/each.ts";
import { recognize } from "./services/recognize.ts";

export interface ResolveOptions {
  /**
   * Sends the URL as one of this service, whatever it looks like: the service itself then says
   * whether it takes it. Without it, the URL says which service it belongs to.
   */
  readonly service?: Service | undefined;
  /** 1 to 20; the service's default is 10. The call holds so many items' credits while it runs. */
  readonly maxResults?: number | undefined;
  /** For a call that repeats an earlier one, perhaps of another process. One is made otherwise. */
  readonly idempotencyKey?: string | undefined;
  /** For this call with all its attempts, instead of the client's. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ResolveAnswer {
  readonly post: ResolveResponse;
  readonly credits: Credits;
  readonly isReplay: boolean;
  readonly requestId: string;
  readonly rateLimit: RateLimit | null;
  /** How many requests were sent. */
  readonly attempts: number;
  readonly idempotencyKey: string;
}

/** One URL of many. */
export type Resolved = { readonly url: string; readonly index: number } & (
  | { readonly ok: true; readonly answer: ResolveAnswer }
  | { readonly ok: false; readonly error: PublicMediaError }
);

export interface Progress {
  readonly resolved: number;
  readonly failed: number;
  readonly creditsCharged: number;
}

export interface ResolveManyOptions extends Omit<ResolveOptions, "idempotencyKey"> {
  /** 1 to 64 calls at a time; 4 by default. */
  readonly concurrency?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Resolves posts, and downloads their media. */
export class PublicMediaClient {
  readonly #settings: Settings;

  /** @throws TypeError for an option that cannot be; the message does not have its value */
  constructor(options: ClientOptions) {
    this.#settings = readOptions(options, `public-media-client/${manifest.version} (typescript)`);
  }

  /**
   * Resolves one post. Retries as the contract says, and is charged once.
   * @throws PublicMediaError, or the signal's reason
   */
  async resolve(url: string, options: ResolveOptions = {}): Promise<ResolveAnswer> {
    const { line, deadlineMs: usualMs } = this.#settings;
    const { maxResults, signal, idempotencyKey = crypto.randomUUID() } = options;
    if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
      throw new TypeError("idempotencyKey: must be 1 to 255 visible ASCII characters");
    }
    const deadlineMs = assertWithin("deadlineMs", options.deadlineMs ?? usualMs, TIME_MAX_MS);
    const service = options.service ?? serviceOf(url);
    const request = { service, url, ...(maxResults !== undefined && { max_results: maxResults }) };
    return call(line, { request, idempotencyKey, deadlineMs, signal });
  }

  /**
   * Resolves many posts and yields each as it is done, in any order. A failure is a result too. URLs are
   * taken from the list or stream only as calls become free. A consumer that stops ends the calls that
   * run.
   */
  async *resolveMany(
    urls: Items<string>,
    { concurrency = 4, onProgress, signal, ...options }: ResolveManyOptions = {},
  ): AsyncGenerator<Resolved, void, undefined> {
    if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 64)) {
      throw new TypeError("concurrency: must be an integer from 1 to 64");
    }
    const stop = new AbortController();
    const giveUp = () => stop.abort(signal?.reason);
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener("abort", giveUp, { once: true });
    let progress: Progress = { resolved: 0, failed: 0, creditsCharged: 0 };
    try {
      const resolveOne = (url: string, index: number) =>
        this.#settle(url, index, { ...options, signal: stop.signal });
      for await (const one of each(urls, concurrency, resolveOne)) {
        progress = advance(progress, one);
        onProgress?.(progress);
        yield one;
      }
    } finally {
      signal?.removeEventListener("abort", giveUp);
      stop.abort();
    }
  }

  /**
   * Downloads one medium. With a path it streams to `path + ".part"`, which a later download resumes, and
   * then moves it to the path; this needs a file system, as Node, Deno and Bun have. Without a path
   * it opens the medium as a stream.
   * @throws DownloadError, or the signal's reason
   */
  download(
    item: MediaItem,
    options: DownloadOptions & { readonly path: string },
  ): Promise<Downloaded>;
  download(item: MediaItem, options?: DownloadOptions): Promise<OpenedMedia>;
  download(
    item: MediaItem,
    { path, ...options }: DownloadOptions & { readonly path?: string } = {},
  ): Promise<Downloaded | OpenedMedia> {
    const { media } = this.#settings;
    return path === undefined ? open(media, item, options) : download(media, item, path, options);
  }

  async #settle(url: string, index: number, options: ResolveOptions): Promise<Resolved> {
    try {
      return { url, index, ok: true, answer: await this.resolve(url, options) };
    } catch (error) {
      if (error instanceof PublicMediaError) return { url, index, ok: false, error };
      throw error;
    }
  }
}

function serviceOf(url: string): Service {
  const recognized = recognize(url);
  if (!recognized.ok) throw new UnrecognizedUrlError(recognized.message);
  return recognized.service;
}

function advance({ resolved, failed, creditsCharged }: Progress, one: Resolved): Progress {
  if (!one.ok) return { resolved, failed: failed + 1, creditsCharged };
  const charged = creditsCharged + one.answer.credits.charged;
  return { resolved: resolved + 1, failed, creditsCharged: charged };
}
