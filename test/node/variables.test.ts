import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { testSettings } from "../support/settings.ts";

it("wrangler.toml names every variable and every secret that the worker reads", async () => {
  const { platforms, ...rooms } = testSettings();
  const read = [...Object.values(rooms), ...Object.values(platforms)].flatMap((settings) =>
    Object.keys(settings),
  );
  expect(read).toContain("ACCOUNTS_TABLE");
  expect(read).toContain("SHORT_VIDEO_PLAYER_QUERY");
  const toml = await readFile("wrangler.toml", "utf8");
  expect(read.filter((name) => !new RegExp(`\\b${name}\\b`).test(toml))).toEqual([]);
});
