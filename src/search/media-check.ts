import { success } from "../contract/result.ts";
import type { MediaItem, MediaMetadata } from "../contract/schemas.ts";
import { ADDRESS_CHARACTERS_MAX } from "../upstream/addresses.ts";
import { type Answer, notFound } from "../upstream/answer.ts";
import { drifted } from "../upstream/drift.ts";
import { plainText } from "./plain-text.ts";
import type { Media } from "./resolver.ts";

/** Where a source's media may be, and how many items are wanted. */
export interface MediaBounds {
  /** Each domain includes its sub-domains. Only https on the default port. */
  readonly domains: readonly string[];
  /** Of servers of the operator: http or https, host and port as they are. */
  readonly origins: readonly string[];
  readonly maxResults: number;
}

/** The longest address that goes out, in characters. */
export const MEDIA_URL_CHARACTERS_MAX = ADDRESS_CHARACTERS_MAX;

/**
 * The longest texts that go out, in UTF-16 code units. Each is above what the platforms allow (2026-10):
 * captions have up to 4,096 characters on Telegram and 4,000 on TikTok, titles 100 on Pinterest.
 */
export const TEXT_UNITS_MAX = { title: 500, author: 200, caption: 10_000 } as const;

/** A playlist or manifest is no file: an ordinary player does not open it. */
const MANIFEST = /\.(?:m3u8|mpd)$/i;

/** Hosts that the report of drift names. */
const HOSTS_MAX = 20;

/**
 * What goes out, whatever a source found: files of the platform's own hosts, each once, under the
 * address that was checked; plain metadata of bounded length. Media that all lies elsewhere means
 * that the platform has moved it.
 */
export function checkMedia({ items, metadata }: Media, bounds: MediaBounds): Answer<Media> {
  if (items.length === 0) return notFound("no items");
  const kept = itemsWithin(items, bounds);
  if (kept.length > 0) return success({ items: kept, metadata: checkMetadata(metadata) });
  const hosts = new Set(
    items.slice(0, HOSTS_MAX).map(({ url }) => URL.parse(url)?.hostname ?? "no URL"),
  );
  const cause = `0 of ${items.length} items on a media host`;
  return drifted(cause, "items.url", [...hosts].join(" "));
}

/** As many as are wanted, in their order. */
function itemsWithin(items: readonly MediaItem[], bounds: MediaBounds): readonly MediaItem[] {
  const files = new Map<string, MediaItem>();
  for (const { type, url: text } of items) {
    if (files.size === bounds.maxResults) break;
    const url = checkAddress(text, bounds);
    if (url === null) continue;
    const file = fileOf(url);
    if (!files.has(file)) files.set(file, { type, url });
  }
  return [...files.values()];
}

/** The address as a browser reads it, without fragment; null for one that may not go out. */
function checkAddress(text: string, bounds: MediaBounds): string | null {
  const url = text.length > MEDIA_URL_CHARACTERS_MAX ? null : URL.parse(text);
  if (url === null || !isWithin(url, bounds) || MANIFEST.test(url.pathname)) return null;
  url.hash = "";
  return url.href.length > MEDIA_URL_CHARACTERS_MAX ? null : url.href;
}

/** A `blob:` URL has its creator's origin, so the scheme is looked at as well. */
function isWithin(url: URL, { domains, origins }: MediaBounds): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  if (origins.includes(url.origin)) return true;
  const isPlain = url.protocol === "https:" && url.port === "";
  return isPlain && domains.some((domain) => `.${url.hostname}`.endsWith(`.${domain}`));
}

const UNRESERVED = /[\w.~-]/;

/** The same for all spellings of one file: needless escapes and an empty query do not matter. */
function fileOf(href: string): string {
  return href.replace(/%[0-9a-f]{2}/gi, plainEscape).replace(/\?$/, "");
}

function plainEscape(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return UNRESERVED.test(character) ? character : escaped.toUpperCase();
}

function checkMetadata({ title, author, caption }: MediaMetadata): MediaMetadata {
  return {
    title: plainText(title, TEXT_UNITS_MAX.title),
    author: plainText(author, TEXT_UNITS_MAX.author),
    caption: plainText(caption, TEXT_UNITS_MAX.caption),
  };
}
