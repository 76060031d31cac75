import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PATH, render } from "../../../infra/openapi/file.ts";

describe("the document", () => {
  it("is the one that the code makes; npm run openapi writes it anew", async () => {
    expect(await readFile(PATH, "utf8")).toBe(render());
  });
});
