import { expect, it } from "vitest";
import {
  plain,
  withoutBlanksAtBreaks,
  withoutLineBreaks,
} from "../../../src/upstream/markup-text.ts";

it("decodes references and trims", () => {
  expect(plain(" a &amp; b&nbsp;")).toBe("a & b");
});

it("takes the markup's line breaks for blanks, and keeps other runs of blanks", () => {
  expect(withoutLineBreaks("a \n  b   c\r\nd")).toBe("a b   c d");
});

it("drops the blanks around line breaks, and keeps the breaks and all other blanks", () => {
  expect(withoutBlanksAtBreaks("a  \n \n b  c")).toBe("a\n\nb  c");
});
