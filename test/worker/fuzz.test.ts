import { expect, it } from "vitest";
import { fuzzBodies } from "../fuzz/bodies.ts";
import type { Fuzz } from "../fuzz/fuzz.ts";
import { fuzzReplies } from "../fuzz/replies.ts";
import { fuzzTenants } from "../fuzz/tenants.ts";
import { fuzzUrls } from "../fuzz/urls.ts";

const KINDS: readonly (readonly [string, Fuzz, number])[] = [
  ["URLs", fuzzUrls, 5_000],
  ["bodies", fuzzBodies, 300],
  ["replies", fuzzReplies, 500],
  ["tenants", fuzzTenants, 30],
];

/** A moment of each kind; `npm run fuzz` takes longer. */
it.each(KINDS)("finds nothing in some %s", async (_, fuzz, cases) => {
  const { failure, ...found } = await fuzz(1, cases);
  expect(failure).toBeNull();
  expect(found.cases).toBeGreaterThan(cases / 2);
});
