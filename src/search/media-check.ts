import { success } from "../contract/result.ts";
import { type Answer, notFound } from "../upstream/answer.ts";
import { drifted } from "../upstream/drift.ts";
import type { Media } from "./resolver.ts";

/** Where a source's media may lie, and how much of it is wanted. */
export interface MediaBounds {
  /** Each covers its sub-domains; https on the default port only. */
  readonly domains: readonly string[];
  /** Of servers of the operator: scheme, host and port as they are. */
  readonly origins: readonly string[];
  readonly maxResults: number;
}

/**
 * What goes out, whatever a source found: media of the platform's own hosts, each URL once, plain
 * metadata. Media that all lies elsewhere means that the platform has moved it.
 */
export function checkMedia({ items, metadata }: Media, bounds: MediaBounds): Answer<Media> {
  if (items.length === 0) return notFound("no items");
  const own = items.filter(({ url }) => isWithin(url, bounds));
  const unique = new Map(own.map((item) => [item.url, item]));
  const kept = [...unique.values()].slice(0, bounds.maxResults);
  if (kept.length === 0) {
    const hosts = new Set(items.map(({ url }) => URL.parse(url)?.hostname ?? "no URL"));
    const cause = `0 of ${items.length} items on a media host`;
    return drifted(cause, "items.url", [...hosts].join(" "));
  }
  const { title, author, caption } = metadata;
  const plain = { title: trimmed(title), author: trimmed(author), caption: trimmed(caption) };
  return success({ items: kept, metadata: plain });
}

function isWithin(text: string, { domains, origins }: MediaBounds): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (origins.includes(url.origin)) return true;
  const isPlain = url.protocol === "https:" && url.port === "";
  return isPlain && domains.some((domain) => `.${url.hostname}`.endsWith(`.${domain}`));
}

function trimmed(text: string | null): string | null {
  return text?.trim() || null;
}
