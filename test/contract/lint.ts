import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";
import { PATH } from "../../infra/openapi/file.ts";
import { toolPath } from "../tools/install.ts";

/**
 * `npm run test:contract`: Redocly's recommended rules find nothing in the API's document, neither
 * errors nor warnings. They must find something in a copy without its licence.
 */
const reportSchema = z.object({
  problems: z.array(z.object({ ruleId: z.string(), message: z.string() })),
});

const run = promisify(execFile);
const redocly = await toolPath("redocly");
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const folder = await mkdtemp(join(tmpdir(), "openapi-"));
try {
  const found = await lint(PATH);
  const planted = await lint(await withoutLicence());
  for (const finding of found) console.log(finding);
  console.log(`Redocly's recommended rules: ${found.length} findings in ${PATH}.`);
  if (planted.length === 0) console.log("They miss that the licence is not there.");
  if (found.length > 0 || planted.length === 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

/** What the rules find in a file, one line each. */
async function lint(file: string): Promise<readonly string[]> {
  const words = ["lint", file, "--extends", "recommended", "--format", "json"];
  // Redocly ends with 1 when it has found an error, and prints its report all the same.
  const { stdout } = await run(redocly, words, { env }).catch((error: unknown) =>
    z.object({ stdout: z.string() }).parse(error),
  );
  const { problems } = reportSchema.parse(JSON.parse(stdout));
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

async function withoutLicence(): Promise<string> {
  const document = z
    .looseObject({ info: z.looseObject({ license: z.unknown() }) })
    .parse(JSON.parse(await readFile(PATH, "utf8")));
  const { license: _, ...info } = document.info;
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify({ ...document, info }));
  return file;
}
