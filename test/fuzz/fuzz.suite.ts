import { expect, inject, it } from "vitest";
import { fuzzBodies } from "./bodies.ts";
import type { Fuzz } from "./fuzz.ts";
import { fuzzReplies } from "./replies.ts";
import { fuzzTenants } from "./tenants.ts";
import { fuzzUrls } from "./urls.ts";

/** Cases of one slice; between slices the command hears how far it is. */
const KINDS: Readonly<Record<string, readonly [Fuzz, slice: number]>> = {
  urls: [fuzzUrls, 20_000],
  bodies: [fuzzBodies, 1_000],
  replies: [fuzzReplies, 500],
  tenants: [fuzzTenants, 50],
};

const { only, seed, milliseconds } = inject("fuzz");
const chosen = Object.entries(KINDS).filter(([name]) => only === null || name === only);

/** Run by `npm run fuzz`, which reads what is printed here. */
it.each(chosen)("finds nothing in %s", async (name, [fuzz, slice]) => {
  const endMs = Date.now() + milliseconds / chosen.length;
  for (let at = 0; Date.now() < endMs; at++) {
    // Slice 0 of a seed is what the tests run with that seed.
    const found = await fuzz(seed + at * 1_000_003, slice);
    console.log(JSON.stringify({ name, ...found }));
    expect(found.failure).toBeNull();
  }
});
