import type { Result } from "../contract/result.ts";
import type { MediaItem, MediaMetadata, Service } from "../contract/schemas.ts";
import { type Answer, notApplicable } from "../upstream/answer.ts";
import type { Patience } from "../upstream/patience.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** The post that an accepted URL names. */
export interface Post {
  /** The post's code or number. A string, because numbers exceed 2^53. */
  readonly id: string;
  /** User or channel in the path, without `@`. Null if the path has none. */
  readonly owner: string | null;
  /** The id is the code of a short link. Only the platform knows the post's id. */
  readonly isShortLink: boolean;
  /** The submitted URL, WHATWG-parsed, without its fragment. */
  readonly url: URL;
}

/**
 * What a source found: the best rendition of each medium, in the post's order, not yet truncated.
 */
export interface Media {
  readonly items: readonly MediaItem[];
  readonly metadata: MediaMetadata;
}

/** Metadata, as far as the source knows it. */
export function metadataOf(
  known: Partial<Record<keyof MediaMetadata, string | null | undefined>>,
): MediaMetadata {
  const { title, author, caption } = known;
  return { title: title ?? null, author: author ?? null, caption: caption ?? null };
}

/** What a source works with. */
export interface SourceTools {
  /** All its requests count against what the client's request may ask. */
  readonly upstream: Upstream;
  /** Items beyond it do not go out: nothing need be asked for them. */
  readonly maxResults: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Logs what an operator should know about a reply that is used all the same. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** One upstream of a service, made with its own settings. */
export interface Source {
  /** Stable name for configuration and logs, for example `syndication`. */
  readonly name: string;
  readonly find: (post: Post, tools: SourceTools) => Promise<Answer<Media>>;
  /** The unset variable that the source needs before it can be asked. */
  readonly missing?: string;
  /** Each call costs money: it is asked last, and hedged only after a longer delay. */
  readonly isPaid?: true;
  /** For a source that may be silent longer, or shorter, than others. */
  readonly patience?: Patience;
  /** More origins of media: a server of the operator that passes files on. */
  readonly mediaOrigins?: readonly string[];
}

/** A source that cannot be asked before the operator sets the variable. */
export function unset(name: string, variable: string): Source {
  return { name, missing: variable, find: async () => notApplicable(`${variable} is not set`) };
}

/** What following a short link needs. */
export interface LocateTools extends SourceTools {
  /** Reads which post of the service a URL names, under the rules for submitted URLs. */
  readonly read: (url: string) => Result<Post>;
}

/** Hosts and their paths. A service with a short-link host has two places. */
export interface Place {
  /** Anchored pattern for the lower-cased ASCII host. */
  readonly hosts: RegExp;
  /**
   * Anchored patterns for the path without its trailing slash. The group `id` is the post's id. The
   * optional group `owner` is its owner.
   */
  readonly paths: readonly RegExp[];
  /** The ids of this place are codes of short links. */
  readonly isShortLink?: boolean;
}

/** Links that the platform's apps share in place of a post's URL. */
export type ShareLinks = Pick<Place, "hosts" | "paths">;

/** For `hosts`: exactly these, without sub-domains. */
export function among(...hosts: readonly string[]): RegExp {
  return new RegExp(`^(?:${hosts.join("|").replaceAll(".", "\\.")})$`);
}

/** Which URLs are posts. The clients in `infra/clients/` read the same rules, as data. */
export interface Territory {
  readonly service: string;
  /** The canonical shapes, with host. Shown to a client whose URL was refused. */
  readonly shapes: readonly string[];
  readonly places: readonly Place[];
  /** Refused, with the advice to open them first: only the platform knows where they lead. */
  readonly shareLinks?: readonly ShareLinks[];
}

/** What a client must know that downloads media. The worker itself never reads it. */
export interface Download {
  /** After a 403, a request with this `Referer` may succeed. The first request never has one. */
  readonly refererAfter403?: string;
  /**
   * Where a media URL says when it ends. The group `expires` of the pattern has the seconds since
   * 1970, as a number in this radix. The first pattern that is found counts.
   */
  readonly expiry?: readonly { readonly pattern: RegExp; readonly radix: 10 | 16 }[];
}

/** Everything that the service knows about one workflow of a platform. */
export interface Resolver extends Territory {
  readonly service: Service;
  /** Credits per returned item. */
  readonly multiplier: number;
  /**
   * Finds the post of a short link before the sources are asked. The post keeps the submitted URL.
   */
  readonly locate?: (post: Post, tools: LocateTools) => Promise<Answer<Post>>;
  /** Domains of the platform's media hosts, sub-domains included. */
  readonly mediaDomains: readonly string[];
  readonly download?: Download;
  /**
   * How long a source may be silent before the next one is asked too, unless the variable
   * HEDGE_DELAYS sets another time: longer than nearly all of the platform's answers take.
   */
  readonly hedgeDelayMs: number;
  /** In the order of asking, unless the variable SOURCES sets another one. */
  readonly sources: readonly Source[];
}
