import fc from "fast-check";
import { inject } from "vitest";
import { SERVICES } from "../../src/contract/schemas.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { ACCEPTED, BROKEN, REFUSED } from "../support/post-urls.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import { createTally, type Fuzz, pasteable } from "./fuzz.ts";
import { denoted } from "./url-oracle.ts";

const ODD = [
  ..."/?#:@.%-_~ \\\t\n\0é１。",
  ...[
    "//",
    "/./",
    "/../",
    "%2e%2E",
    "%2f",
    "%00",
    "%31",
    "--",
    "::443",
    ":443",
    ":80",
    "@",
    "www.",
  ],
  ...["/s/", "/i/web/", "/sent/", "/photo/1", "/video/22", "audio", "highlights", "stories", "..."],
  ..."\u0085\u00a0\u200b\u3000\ufeff\u{1f600}",
];

/** One change of a URL's text. */
const mutation = fc.record({
  how: fc.constantFrom("insert", "replace", "delete", "repeat", "case", "host", "path", "grow"),
  at: fc.noBias(fc.nat({ max: 9_999 })),
  sizeCharacters: fc.nat({ max: 6 }),
  text: fc.oneof(
    fc.constantFrom(...ODD),
    fc.string({ maxLength: 3 }),
    fc.string({ unit: "binary", maxLength: 2 }),
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,4}$/),
  ),
  other: fc.nat(),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** Accepted, refused and broken URLs, and those that were seen in public. */
function bases(): readonly string[] {
  const lists = [...ACCEPTED.map(([url]) => url), ...REFUSED, ...BROKEN.map(([url]) => url)];
  return [...lists, ...inject("seenUrls").map(({ url }) => url)];
}

function mutate(url: string, mutation: Mutation, all: readonly string[]): string {
  const { how, text, sizeCharacters } = mutation;
  const from = Math.floor((mutation.at / 10_000) * (url.length + 1));
  const [head, tail] = [url.slice(0, from), url.slice(from)];
  const part = tail.slice(0, sizeCharacters);
  const rest = tail.slice(sizeCharacters);
  const other = all[mutation.other % all.length] ?? "";
  if (how === "insert") return head + text + tail;
  if (how === "replace") return head + text + rest;
  if (how === "delete") return head + rest;
  if (how === "repeat") return head + part + part + rest;
  if (how === "case") return head + swapCase(part) + rest;
  if (how === "grow") return head + part.slice(0, 1).repeat(sizeCharacters * 11) + tail;
  return how === "host" ? pathless(other) + pathOf(url) : pathless(url) + pathOf(other);
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

function pathOf(url: string): string {
  return url.slice(pathless(url).length);
}

/** Up to the slash behind the authority. */
function pathless(url: string): string {
  const slash = url.indexOf("/", url.indexOf("://") + 3);
  return slash === -1 ? url : url.slice(0, slash);
}

/** The service's answer in the oracle's form; several services for one URL are a finding. */
function answered(url: string) {
  const found = SERVICES.flatMap((service) => {
    const post = parsePostUrl(url, RESOLVERS[service]);
    return post.ok ? [{ service, id: post.value.id, owner: post.value.owner }] : [];
  });
  return found.length === 0 ? null : found;
}

/** URLs close to known ones: the service must say what the oracle says. */
export const fuzzUrls: Fuzz = async (seed, cases) => {
  const all = bases();
  const tally = createTally();
  const url = fc
    .tuple(fc.constantFrom(...all), fc.array(mutation, { maxLength: 3 }))
    .map(([base, list]) => list.reduce((text, one) => mutate(text, one, all), base));
  const property = fc.property(url, (text) => {
    const expected = denoted(text);
    const found = answered(text);
    tally.add(expected?.service ?? "refused");
    const isSame = JSON.stringify(found) === JSON.stringify(expected === null ? null : [expected]);
    if (!isSame) throw new Error(`the oracle says ${JSON.stringify(expected)}`);
  });
  const report = fc.check(property, { seed, numRuns: cases });
  return tally.findings(
    pasteable(report, ([text]) => {
      const service = denoted(text)?.service;
      const expected = JSON.stringify(service === undefined ? [] : [service]);
      const call = `expect(accepting(${JSON.stringify(text)})).toEqual(${expected});`;
      return `// test/worker/search/post-url.test.ts\nit("is read as the contract says", () => {\n  ${call}\n});`;
    }),
  );
};
