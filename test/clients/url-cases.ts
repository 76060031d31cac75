import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import * as z from "zod";
import { resolveRequestSchema, SERVICES, type Service } from "../../src/contract/schemas.ts";
import { describeIssue } from "../../src/http/invalid-request.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { ACCEPTED, BROKEN, REFUSED } from "../support/post-urls.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import { near } from "../support/url-mutations.ts";

/** URLs with the worker's own decision about each, for the clients to agree with. */

const SEEN = fileURLToPath(new URL("../../../shared/recorded/urls.json", import.meta.url));
const ALL = Object.values(RESOLVERS);
/** Stands for all services where none is asked for. */
const ANY = {
  service: "supported",
  shapes: ALL.flatMap(({ shapes }) => shapes),
  places: [],
} as const;

/** What a WHATWG parser escapes in a path or a query, and what it leaves as it is. */
const ESCAPED = [
  "https://www.pinterest.com/pin/a\"<>^`{}|'[]!$&()*+,;=~--1/sent/\"<>^`{}|'[]",
  "https://www.pinterest.com/pin/ü猫\u{1f600}\ud800.\ue000--1/?ü猫\u{1f600}\udc00",
  "https://t.me/name/1?\"<>^`{}|'[]!$&()*+,;=~%zz%e9%2E/../?#",
  "https://t.me/name/1/?",
  "https://t.me/name/1?#",
  "https://www.pinterest.com/pin/x%2e%2E--1/sent//a%/%2",
];

/** At and over the limit of characters, which counts a pair of surrogates once. */
const LONG = [2_047, 2_048, 2_049].flatMap((characters) =>
  ["a", "\u{1f600}", "\ud800"].map((filling) => {
    const head = "https://t.me/name/1?";
    return head + filling.repeat(characters - head.length);
  }),
);

export interface UrlCase {
  readonly url: string;
  /** What the worker reads it as. Null if no service accepts it. */
  readonly accepted: {
    readonly service: Service;
    readonly url: string;
    readonly is_short_link: boolean;
  } | null;
  /** What the worker says to a request for each of the other services. */
  readonly messages: Readonly<Partial<Record<Service, string>>>;
  /** What is wrong with it when no service is asked for. Null if one accepts it. */
  readonly message: string | null;
}

/**
 * The URLs of the tests, those seen in public if they lie beside the checkout, and so many that are
 * near them. The same seed gives the same ones.
 */
export function urlCases(nearCount: number, seed: number): readonly UrlCase[] {
  const known = [
    ...ACCEPTED.map(([url]) => url),
    ...REFUSED,
    ...BROKEN.map(([url]) => url),
    ...seenUrls(),
  ];
  const others = fc.sample(near(known), { seed, numRuns: nearCount });
  return [...known, ...ESCAPED, ...LONG, ...others].map(decide);
}

/** URLs found in public, 602 of them. Empty if they do not lie beside the checkout. */
export function seenUrls(): readonly string[] {
  if (!existsSync(SEEN)) return [];
  const rows = z.array(z.object({ url: z.string() })).parse(JSON.parse(readFileSync(SEEN, "utf8")));
  return rows.map(({ url }) => url);
}

function decide(url: string): UrlCase {
  const messages: Partial<Record<Service, string>> = {};
  let accepted: UrlCase["accepted"] = null;
  for (const service of SERVICES) {
    const read = ask(url, service);
    if (typeof read === "string") messages[service] = read;
    else accepted = { service, ...read };
  }
  const message = accepted === null ? refusal(url) : null;
  return { url, accepted, messages, message };
}

/** The rule that the URL breaks, or what it is instead. */
function refusal(url: string): string | null {
  const body = readBody(url, "photo-feed");
  const post = parsePostUrl(url, ANY, ALL);
  return body ?? (post.ok ? null : (post.failure.message ?? null));
}

/** As the worker does: first the body's schema, then the rules for URLs. */
function ask(url: string, service: Service) {
  const body = readBody(url, service);
  if (body !== null) return body;
  const post = parsePostUrl(url, RESOLVERS[service], ALL);
  if (!post.ok) return post.failure.message ?? "";
  return { url: post.value.url.href, is_short_link: post.value.isShortLink };
}

/** What is wrong with the request's body. */
function readBody(url: string, service: Service): string | null {
  const body = resolveRequestSchema.safeParse({ service, url });
  if (body.success) return null;
  return describeIssue(body.error.issues, { service, url }).message ?? null;
}
