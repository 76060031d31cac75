import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { MUTATIONS } from "../mutations/mutations.ts";

it.each(MUTATIONS)("the mutation finds what it breaks: $name", async ({ file, find, replace }) => {
  const code = await readFile(file, "utf8");
  expect(code.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
});
