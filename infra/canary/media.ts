import type { MediaItem } from "../../src/contract/schemas.ts";
import { eachAtOnce } from "../../src/runtime/each-at-once.ts";
import { expiresAt } from "../clients/typescript/src/services/expires-at.ts";
import { formatOf } from "./file-format.ts";
import { type Glance, glance, START_BYTES, type Start } from "./glance.ts";

const AT_ONCE = 4;

/** A page of another site that shows the file. */
const PAGE_ORIGIN = "https://page.example";
const RANGE = { range: `bytes=0-${START_BYTES - 1}` } as const;

/** What a customer's server sends: no Referer, no cookies. */
const AS_SERVER = { ...RANGE, accept: "*/*", "user-agent": "media-canary/1" } as const;

/** What a browser sends for `<img crossorigin>` and the like on a page of another site. */
function asPage(type: MediaItem["type"]): Readonly<Record<string, string>> {
  return {
    ...RANGE,
    ...{ accept: type === "image" ? "image/avif,image/webp,*/*;q=0.8" : "*/*" },
    ...{ "accept-language": "en", origin: PAGE_ORIGIN, referer: `${PAGE_ORIGIN}/` },
    ...{ "sec-fetch-dest": type, "sec-fetch-mode": "cors", "sec-fetch-site": "cross-site" },
    "user-agent":
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
      "Chrome/142.0.0.0 Safari/537.36",
  };
}

/** What came of asking for the beginning of a file. */
export interface Came {
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly content_type: string | null;
  /** What the first bytes are. */
  readonly format: string | null;
  /** Of the whole file, as far as the answer says it. */
  readonly size_bytes: number | null;
  /** Why it is not what the item promises; empty if it is. */
  readonly problems: readonly string[];
}

/** One item of an answer, as customers would get its file. */
export interface MediaReport {
  readonly type: MediaItem["type"];
  readonly host: string;
  /** Only when asked for: media URLs are signed. */
  readonly url?: string;
  /** As the URL says; null if it does not. */
  readonly expires_at: string | null;
  readonly server: Came;
  readonly page: Came & {
    /** Whether a page of another site can show the file. */
    readonly shows: boolean;
    /** Whether its scripts can read the file. */
    readonly reads: boolean;
    readonly allow_origin: string | null;
    readonly resource_policy: string | null;
  };
}

export interface MediaOptions {
  readonly egressUrl?: string | undefined;
  readonly withUrls: boolean;
}

/** Asks for the beginning of each item's file: as a server would, and as a page would. */
export async function lookAtMedia(
  items: readonly MediaItem[],
  { egressUrl, withUrls }: MediaOptions,
): Promise<readonly MediaReport[]> {
  const reports = new Map<MediaItem, MediaReport>();
  await eachAtOnce(AT_ONCE, items, async (item) => {
    const server = await glance(item.url, { headers: AS_SERVER, egressUrl });
    const page = await glance(item.url, { headers: asPage(item.type), egressUrl });
    const { url } = item;
    reports.set(item, { ...reportOn(item, server, page), ...(withUrls && { url }) });
  });
  return items.flatMap((item) => reports.get(item) ?? []);
}

/** What two beginnings of a file say about it. */
export function reportOn(item: MediaItem, server: Glance, page: Glance): MediaReport {
  const headers = "problem" in page ? {} : page.headers;
  const allow_origin = headers["access-control-allow-origin"] ?? null;
  const resource_policy = headerOf(headers["cross-origin-resource-policy"]);
  const came = describe(item, page);
  const isWithheld = resource_policy === "same-origin" || resource_policy === "same-site";
  const shows = came.problems.length === 0 && !isWithheld;
  const reads =
    came.problems.length === 0 && (allow_origin === "*" || allow_origin === PAGE_ORIGIN);
  return {
    type: item.type,
    host: new URL(item.url).host,
    expires_at: expiresAt(item)?.toISOString() ?? null,
    server: describe(item, server),
    page: { ...came, shows, reads, allow_origin, resource_policy },
  };
}

function describe(item: MediaItem, came: Glance): Came {
  if ("problem" in came) {
    const nothing = { status: null, content_type: null, format: null, size_bytes: null };
    return { ...nothing, problems: [came.problem] };
  }
  const { status, headers, bytes } = came;
  const content_type = headers["content-type"] ?? null;
  return {
    ...{ status, content_type, format: formatOf(bytes)?.name ?? null },
    size_bytes: sizeOf(came),
    problems: problemsOf(item, came),
  };
}

function problemsOf({ type }: MediaItem, { status, headers, bytes }: Start): string[] {
  if (status !== 200 && status !== 206) return [`status ${status}`];
  if (bytes.length === 0) return ["an empty file"];
  const problems: string[] = [];
  const said = /^(image|video|audio|text)\//i.exec(headers["content-type"] ?? "")?.[1];
  if (said !== undefined && said.toLowerCase() !== type) {
    problems.push(`content type ${said.toLowerCase()} for ${article(type)}`);
  }
  const format = formatOf(bytes);
  if (format === null) problems.push("bytes of an unknown format");
  else if (!format.types.includes(type)) problems.push(`${format.name} for ${article(type)}`);
  return problems;
}

function article(type: MediaItem["type"]): string {
  return type === "video" ? "a video" : `an ${type}`;
}

/** Of the whole file: the total of `Content-Range`, else `Content-Length`. */
function sizeOf({ status, headers }: Start): number | null {
  const total = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers["content-range"] ?? "")?.[1];
  const length = status === 206 ? total : headers["content-length"];
  return length === undefined || !/^\d{1,15}$/.test(length) ? null : Number(length);
}

function headerOf(value: string | readonly string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
