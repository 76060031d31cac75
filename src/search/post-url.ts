import { failed, type Result, success } from "../contract/result.ts";
import type { Post, Territory } from "./resolver.ts";

/** A URL as submitted: split at its delimiters, not repaired. */
interface Parts {
  readonly text: string;
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

interface Rule {
  readonly holds: (parts: Parts) => boolean;
  readonly message: string;
}

const DEFAULT_PORTS: ReadonlyMap<string, string> = new Map([
  ["http", "80"],
  ["https", "443"],
]);

/**
 * The rules for every URL, in order. They read the string as submitted, because a WHATWG parser
 * silently repairs what they refuse: it drops tabs, line breaks and default ports, maps full-width
 * letters and backslashes, and resolves dot segments.
 */
const RULES: readonly Rule[] = [
  {
    holds: ({ text }) => !/[\s\p{Cc}]/u.test(text),
    message: "must not contain white space or control characters",
  },
  { holds: ({ text }) => !text.includes("\\"), message: "must not contain a backslash" },
  {
    holds: ({ scheme }) => DEFAULT_PORTS.has(scheme),
    message: "must begin with https:// or http://",
  },
  {
    holds: ({ authority }) => !authority.includes("@"),
    message: "must not carry a user name or password",
  },
  {
    holds: ({ authority }) => !/^(?:\[|[\d.]+(?:$|:)|0x)/i.test(authority),
    message: "must not name an IP address",
  },
  {
    holds: ({ authority, scheme }) => {
      const colon = authority.indexOf(":");
      return colon === -1 || authority.slice(colon + 1) === DEFAULT_PORTS.get(scheme);
    },
    message: "must not carry a port",
  },
  {
    holds: ({ authority }) => /^[a-z0-9.-]+(?::\d+)?$/i.test(authority),
    message: "must name a host in plain ASCII letters, digits, dots and hyphens",
  },
  {
    holds: ({ authority }) => !hostOf(authority).endsWith("."),
    message: "must not have a host that ends in a dot",
  },
  {
    holds: ({ path }) => !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path),
    message: "must not contain dot segments",
  },
];

/**
 * Reads which post a submitted URL names. Fails with `URL_INVALID` and a message for the client.
 * @param all The message says which of these services the URL belongs to instead.
 */
export function parsePostUrl(
  submitted: string,
  resolver: Territory,
  all: readonly Territory[] = [],
): Result<Post> {
  const parts = cut(submitted);
  const broken = RULES.find((rule) => !rule.holds(parts));
  if (broken !== undefined) return invalid(broken.message);
  const post = match(parts, resolver);
  return post === null ? invalid(mismatch(parts, resolver, all)) : success(post);
}

/** Without `://` the scheme is empty, and the rule for schemes refuses it. */
function cut(text: string): Parts {
  const found = /^([^:/?#]*):\/\/([^/?#]*)([^?#]*)/.exec(text);
  const [, scheme = "", authority = "", path = ""] = found ?? [];
  return { text, scheme: scheme.toLowerCase(), authority, path };
}

function hostOf(authority: string): string {
  const [host = ""] = authority.split(":", 1);
  return host.toLowerCase();
}

function match(parts: Parts, resolver: Territory): Post | null {
  const path = pathOf(parts);
  const place = resolver.places.find(({ hosts }) => hosts.test(hostOf(parts.authority)));
  for (const pattern of place?.paths ?? []) {
    const groups = pattern.exec(path)?.groups;
    if (groups?.id === undefined) continue;
    const isShortLink = place?.isShortLink === true;
    return { id: groups.id, owner: groups.owner ?? null, isShortLink, url: normalize(parts.text) };
  }
  return null;
}

function normalize(text: string): URL {
  const url = new URL(text);
  url.hash = "";
  return url;
}

function mismatch(parts: Parts, resolver: Territory, all: readonly Territory[]): string {
  const expected = `is not a ${resolver.service} URL; expected ${resolver.shapes.join(" or ")}`;
  const found = recognize(parts, resolver, all);
  return found === null ? expected : `${expected}; this is a ${found}`;
}

/** What the URL is instead, if any service knows it. */
function recognize(parts: Parts, resolver: Territory, all: readonly Territory[]): string | null {
  for (const other of all) {
    const post = match(parts, other);
    if (post?.isShortLink === true) {
      return `short share link of ${other.service}: send it as ${other.service}, or expand it first`;
    }
    if (post !== null) return `${other.service} URL`;
  }
  const sharing = all.find((other) => isShareLink(parts, other));
  if (sharing === undefined) return null;
  const from = sharing.service === resolver.service ? "" : ` of ${sharing.service}`;
  return `short share link${from}: expand it first, and send the URL that it leads to`;
}

function isShareLink(parts: Parts, { shareLinks = [] }: Territory): boolean {
  const host = hostOf(parts.authority);
  const path = pathOf(parts);
  return shareLinks.some(
    ({ hosts, paths }) => hosts.test(host) && paths.some((pattern) => pattern.test(path)),
  );
}

/** Without the slash at its end. */
function pathOf({ path }: Parts): string {
  return path.replace(/\/$/, "");
}

function invalid(rule: string): Result<never> {
  return failed("URL_INVALID", `url: ${rule}`, { message: `url: ${rule}` });
}
