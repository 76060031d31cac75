import { describe, expect, it } from "vitest";
import { FINANCE, firstFailure, TYPES } from "../guide/checks.ts";
import { inCopy, readChanges } from "../guide/copy.ts";
import { readGuide } from "../guide/guide.ts";

/** The guide for a new service. `npm run test:guide` follows it to the end. */
describe("the guide for an eighth service", () => {
  it("names every file that a service needs", async () => {
    const paths = new Set((await readChanges()).map(({ path }) => path));
    for (const path of [
      ...["src/contract/schemas.ts", "src/platforms/registry.ts", "src/platforms/settings.ts"],
      ...["infra/local/samples/index.json", "infra/finance/sql/views/services.sql"],
      ...["README.md", "wrangler.toml"],
    ]) {
      expect(paths).toContain(path);
    }
  });

  it("leads to a service that compiles, and to a month that balances", async () => {
    const failure = await inCopy(await readChanges(), (folder) =>
      firstFailure(folder, [...TYPES.slice(0, 1), ...FINANCE]),
    );
    expect(failure).toBeNull();
  }, 120_000);

  it("does not compile without the registry's line", async () => {
    const changes = await readChanges();
    const others = changes.filter(({ path }) => path !== "src/platforms/registry.ts");
    expect(others.length).toBeLessThan(changes.length);
    const failure = await inCopy(others, (folder) => firstFailure(folder, TYPES.slice(0, 1)));
    expect(failure?.problem).toContain("photo-board");
  }, 60_000);

  it("refuses an edit whose lines are not there", async () => {
    const [edit] = readGuide("```diff README.md\n no such line\n+more\n```\n");
    expect(edit).toEqual({ kind: "edit", path: "README.md", text: " no such line\n+more\n" });
    const applied = inCopy(edit === undefined ? [] : [edit], async () => {});
    await expect(applied).rejects.toThrow("README.md has these lines 0 times");
  });
});
