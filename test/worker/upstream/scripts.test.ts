import { expect, it } from "vitest";
import { scriptsWith, scriptWithId } from "../../../src/upstream/scripts.ts";

it("finds the script with an id, whichever quotes its tag has", () => {
  const page = `<p id="DATA"></p><script a="1" id='DATA'>{"a":1}</script>`;
  expect(scriptWithId(page, "DATA")).toBe('{"a":1}');
});

it("takes no text between tags for a tag", () => {
  expect(scriptWithId(`<script>${" ".repeat(5_000)}id="DATA">{}</script>`, "DATA")).toBeNull();
});

it("gives the scripts whose tag has all words, and what there is of one that was cut", () => {
  const page = "<script data-x>1</script><script data-x data-y>2</script><script data-y data-x>3";
  expect([...scriptsWith(page, ["data-x", "data-y"])]).toEqual(["2", "3"]);
});
