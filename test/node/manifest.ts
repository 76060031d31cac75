import { readFile } from "node:fs/promises";
import * as z from "zod";

const versions = z.record(z.string(), z.string());
const manifestSchema = z.object({
  scripts: z.record(z.string(), z.string()),
  dependencies: versions,
  devDependencies: versions,
});

/** What package.json says. */
export const { scripts, dependencies, devDependencies } = manifestSchema.parse(
  JSON.parse(await readFile("package.json", "utf8")),
);

const toolsSchema = z.object({ devDependencies: versions });

/** The tools that only the longer proofs need. */
export const { devDependencies: toolVersions } = toolsSchema.parse(
  JSON.parse(await readFile("test/tools/package.json", "utf8")),
);
