import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { sampleSchema } from "../infra/local/samples.ts";
import { serviceSchema } from "../src/contract.ts";
import type { BundledSample, Recording, SeenUrl } from "./provided.ts";

const recordingSchema = z.object({
  file: z.string(),
  post_url: z.string().nullable(),
  status: z.string(),
  items: z.array(z.object({ type: z.string(), file_name: z.string() })),
  author: z.string().nullable(),
});

const urlSchema = z.object({ url: z.string(), service: serviceSchema.nullable() });

const SAMPLES = fileURLToPath(new URL("samples/", import.meta.url));
const RECORDED = fileURLToPath(new URL("../../shared/recorded/", import.meta.url));

interface Recorded {
  readonly recordings: readonly Recording[];
  readonly seenUrls: readonly SeenUrl[];
}

/**
 * Reads the recorded replies that may lie beside the checkout: those of the given services. They are
 * not part of the project; where they are absent, both lists are empty, and one line says so.
 */
export function readRecorded(services: readonly string[]): Recorded {
  if (!existsSync(RECORDED)) {
    console.info("No recorded replies beside this checkout: the tests over them are left out.");
    return { recordings: [], seenUrls: [] };
  }
  const recordings = z
    .array(recordingSchema)
    .parse(readJson(`${RECORDED}index.json`))
    .filter(({ file }) => services.includes(file.replace(/\/.*$/, "")))
    .map((row) => ({ ...row, body: readFileSync(RECORDED + row.file, "utf8") }));
  return { recordings, seenUrls: z.array(urlSchema).parse(readJson(`${RECORDED}urls.json`)) };
}

/** Reads the bundled samples, bodies included. */
export function readSamples(): readonly BundledSample[] {
  const rows = z.array(sampleSchema).parse(readJson(`${SAMPLES}index.json`));
  return rows.map(({ service, note, source_url: sourceUrl = null, request, reply }) => {
    const requestUrl = "url" in request ? request.url : null;
    const file = "file" in reply ? reply.file : null;
    const body = "file" in reply ? readFileSync(SAMPLES + reply.file, "utf8") : reply.body;
    const { status, headers } = reply;
    return { service, note, file, sourceUrl, requestUrl, status, headers, body };
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
