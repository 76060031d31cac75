import type { Result } from "../contract/result.ts";
import type { MediaItem, MediaMetadata, Service } from "../contract/schemas.ts";
import { type Answer, notApplicable } from "../upstream/answer.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** The post that an accepted URL denotes. */
export interface Post {
  /** Code or number of the post, as a string: numbers exceed 2^53. */
  readonly id: string;
  /** User or channel named in the path, without `@`; null where the path names none. */
  readonly owner: string | null;
  /** The id is a short link's code, which the platform alone can turn into a post's id. */
  readonly isShortLink: boolean;
  /** The submitted URL, WHATWG-parsed, without its fragment. */
  readonly url: URL;
}

/** What a source found, best rendition per medium, in the post's own order, not yet truncated. */
export interface Media {
  readonly items: readonly MediaItem[];
  readonly metadata: MediaMetadata;
}

/** Metadata of which the source knows a part. */
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
  /** For what an operator should know of a reply that is used all the same. */
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** One upstream of a service, made with its own settings. */
export interface Source {
  /** Stable name for configuration and logs, such as `syndication`. */
  readonly name: string;
  readonly find: (post: Post, tools: SourceTools) => Promise<Answer<Media>>;
  /** The variable that is not set and without which the source cannot be asked. */
  readonly missing?: string;
  /** Origins of media beside the platform's hosts: a server of the operator that passes it on. */
  readonly mediaOrigins?: readonly string[];
}

/** A source that nobody can ask before the operator has set the variable. */
export function unset(name: string, variable: string): Source {
  return { name, missing: variable, find: async () => notApplicable(`${variable} is not set`) };
}

/** What a short link is followed with. */
export interface LocateTools extends SourceTools {
  /** Reads which post of the service a URL denotes, under the rules for submitted ones. */
  readonly read: (url: string) => Result<Post>;
}

/** Hosts and the paths they serve. Two places, when a service has a short-link host beside. */
export interface Place {
  /** Tested against the lower-cased ASCII host. */
  readonly isHost: (host: string) => boolean;
  /**
   * Anchored patterns for the path without its trailing slash. The group `id` is the post's id, the
   * group `owner`, where there is one, its owner.
   */
  readonly paths: readonly RegExp[];
  /** The ids found here are codes of short links. */
  readonly isShortLink?: boolean;
}

/** For `isHost`: exactly these hosts, none of their sub-domains. */
export function among(...hosts: readonly string[]): (host: string) => boolean {
  return (host) => hosts.includes(host);
}

/** All that the service knows about one of its platforms' workflows. */
export interface Resolver {
  readonly service: Service;
  /** Credits per returned item. */
  readonly multiplier: number;
  /** The canonical shapes, with host, as shown to a client whose URL was refused. */
  readonly shapes: readonly string[];
  readonly places: readonly Place[];
  /** Finds the post that a short link stands for, still with the submitted URL, before the sources are asked. */
  readonly locate?: (post: Post, tools: LocateTools) => Promise<Answer<Post>>;
  /** Domains of the platform's media hosts; each covers its sub-domains. */
  readonly mediaDomains: readonly string[];
  /** In the order in which they are asked, unless the variable SOURCES has another one. */
  readonly sources: readonly Source[];
}
