import { expect, it } from "vitest";
import { drifted } from "../../../src/upstream/drift.ts";

it("names the field without the ids in its path", () => {
  const { failure } = drifted("why", "reels.highlight:17893209825281221.items", "{}");
  expect(failure).toEqual({
    kind: "drifted",
    cause: "why",
    drift: { field: "reels.highlight:<data>.items", excerpt: "{}" },
  });
});
