import { inject } from "vitest";
import { SERVICES, type Service } from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { timer } from "../../src/runtime/timer.ts";
import type { Post, Resolver, Source } from "../../src/search/resolver.ts";
import { search } from "../../src/search/search.ts";
import type { BundledSample } from "./provided.ts";
import { noBreaker, postAt } from "./replies.ts";
import { testSettings } from "./settings.ts";

/** Every source can be asked: what has to be configured for one is set here. */
const SETTINGS = testSettings({
  RESOLVE_WINDOW_MS: 10_000,
  HIKERAPI_KEY: "sample",
  COBALT_URL: "https://cobalt.example",
});

export const CONFIGURED = createResolvers(SETTINGS.platforms);

/** A post, one source of its service, and a reply that the source gets when it is asked for the post. */
export interface SourceReply {
  readonly resolver: Resolver;
  readonly source: Source;
  readonly post: Post;
  /** Of the request that the reply answers; null where any answers with it. */
  readonly request: Pick<BundledSample, "method" | "requestUrl"> | null;
  /** The sample's or recording's. */
  readonly file: string;
  readonly status: number;
  readonly body: string;
}

/** Every source of every service, by `service/source`, with all replies that are known of it. */
export async function repliesOfSources(): Promise<ReadonlyMap<string, readonly SourceReply[]>> {
  const replies = new Map<string, readonly SourceReply[]>();
  for (const service of SERVICES) {
    const resolver = CONFIGURED[service];
    for (const source of resolver.sources) {
      const sampled = await sampledReplies(resolver, source);
      const recorded = await recordedReplies(resolver, source);
      replies.set(`${service}/${source.name}`, [...sampled, ...recorded]);
    }
  }
  return replies;
}

/** Asks one source for a post. @param answer null for what is not there */
export function askSource(
  { resolver, source, post }: Pick<SourceReply, "resolver" | "source" | "post">,
  answer: (request: Request) => Response | null,
) {
  const fetch: typeof globalThis.fetch = async (input, init) =>
    answer(new Request(input, init)) ?? new Response(null, { status: 404 });
  const [now, log, note] = [() => 0, () => {}, () => {}];
  return search({
    ...{ fetch, now, log, note, timer, post, breaker: noBreaker, account: "test", maxResults: 20 },
    settings: SETTINGS.search,
    signal: new AbortController().signal,
    resolver: { ...resolver, sources: [source] },
  });
}

/** The samples' answer to a request. */
export function sampled(request: Request): Response | null {
  const row = inject("samples").find((sample) => isAnsweredBy(request, sample));
  return row === undefined ? null : responseOf(row);
}

/** Answers one request with the reply, or with another body, and all others from the samples. */
export function answering(reply: SourceReply, body = reply.body) {
  return (request: Request): Response | null => {
    const isAnswered = reply.request === null || isAnsweredBy(request, reply.request);
    if (isAnswered && request.method !== "HEAD") return responseOf({ ...reply, body });
    return sampled(request) ?? derivedFile(request);
  };
}

/** Files that a source looks for beside those that a reply names are there. */
function derivedFile({ method, url }: Request): Response | null {
  if (method !== "HEAD") return null;
  const type = url.endsWith(".mp4") ? "video/mp4" : "image/jpeg";
  return new Response(null, { headers: { "content-type": type } });
}

function isAnsweredBy(
  request: Request,
  { method, requestUrl }: Pick<BundledSample, "method" | "requestUrl">,
): boolean {
  return request.method === method && request.url === requestUrl;
}

function responseOf({ status, body, headers }: Partial<BundledSample>): Response {
  const isBodiless = status !== undefined && [204, 302, 304].includes(status);
  return new Response(isBodiless ? null : (body ?? ""), {
    status: status ?? 200,
    headers: headers ?? {},
  });
}

/** Those samples with a body that the source asks for, on its way to one of the sampled posts. */
async function sampledReplies(resolver: Resolver, source: Source): Promise<SourceReply[]> {
  const replies: SourceReply[] = [];
  for (const post of sampledPosts(resolver.service)) {
    const asked: Request[] = [];
    await askSource({ resolver, source, post }, (request) => {
      asked.push(request);
      return sampled(request);
    });
    for (const { status, body, ...request } of inject("samples")) {
      const isAsked = asked.some((one) => isAnsweredBy(one, request));
      if (!isAsked || body === "" || (status >= 300 && status < 400)) continue;
      replies.push({
        resolver,
        source,
        post,
        request,
        file: request.file ?? request.note,
        status,
        body,
      });
    }
  }
  return replies;
}

export function sampledPosts(service: Service): readonly Post[] {
  return inject("samples").flatMap((row) => {
    const isPost = row.service === service && row.sourceUrl !== null;
    const post = isPost ? postAt(row.sourceUrl ?? "", service) : null;
    return post === null || post.isShortLink ? [] : [post];
  });
}

/** Those recordings of the service that the source can read. Empty where there are none. */
async function recordedReplies(resolver: Resolver, source: Source): Promise<SourceReply[]> {
  const replies: SourceReply[] = [];
  for (const { file, body, post_url: url } of inject("recordings")) {
    if (!file.startsWith(`${resolver.service}/`) || !/\d\/?$|\/p\/|\/reel\//.test(url ?? ""))
      continue;
    const post = postAt(url ?? "", resolver.service);
    const reply = { resolver, source, post, request: null, file, status: 200, body };
    const found = await askSource(reply, answering(reply));
    if (found.ok) replies.push(reply);
  }
  return replies;
}
