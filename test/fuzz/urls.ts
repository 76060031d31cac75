import fc from "fast-check";
import { inject } from "vitest";
import { SERVICES } from "../../src/contract/schemas.ts";
import { parsePostUrl } from "../../src/search/post-url.ts";
import { ACCEPTED, BROKEN, REFUSED } from "../support/post-urls.ts";
import { RESOLVERS } from "../support/resolvers.ts";
import { near } from "../support/url-mutations.ts";
import { createTally, type Fuzz, pasteable } from "./fuzz.ts";
import { denoted } from "./url-oracle.ts";

/** Accepted, refused and broken URLs, and those that were seen in public. */
function bases(): readonly string[] {
  const lists = [...ACCEPTED.map(([url]) => url), ...REFUSED, ...BROKEN.map(([url]) => url)];
  return [...lists, ...inject("seenUrls").map(({ url }) => url)];
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
  const tally = createTally();
  const property = fc.property(near(bases()), (text) => {
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
