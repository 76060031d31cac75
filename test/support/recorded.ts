import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import * as z from "zod";
import { sampleSchema } from "../../infra/local/sample-gateway.ts";
import { serviceSchema } from "../../src/contract/schemas.ts";
import type { BundledSample, Recording } from "./provided.ts";

const recordingSchema = z.object({
  file: z.string(),
  post_url: z.string().nullable(),
  status: z.string(),
  items: z.array(z.object({ type: z.string(), file_name: z.string() })),
  author: z.string().nullable(),
});

const urlSchema = z.object({ url: z.string(), service: z.nullable(serviceSchema) });

const SAMPLES = fileURLToPath(new URL("../../infra/local/samples/", import.meta.url));
const RECORDED = fileURLToPath(new URL("../../../shared/recorded/", import.meta.url));

/**
 * Vitest runs it on Node before the worker's tests. The recorded replies may lie beside the
 * checkout and are not part of the project. If they are missing, one line says so and the lists are
 * empty.
 */
export default function setup(project: TestProject): void {
  const isThere = existsSync(RECORDED);
  if (!isThere) console.info("No recorded replies beside this checkout: no tests over them.");
  project.provide("recordings", isThere ? readRecordings() : []);
  const urls = isThere ? readJson(`${RECORDED}urls.json`) : [];
  project.provide("seenUrls", z.array(urlSchema).parse(urls));
  project.provide("samples", readSamples());
}

function readRecordings(): readonly Recording[] {
  return z
    .array(recordingSchema)
    .parse(readJson(`${RECORDED}index.json`))
    .map((row) => ({ ...row, body: readFileSync(RECORDED + row.file, "utf8") }));
}

function readSamples(): readonly BundledSample[] {
  const rows = z.array(sampleSchema).parse(readJson(`${SAMPLES}index.json`));
  return rows.map(({ service, note, source_url: sourceUrl = null, request, reply }) => {
    const requestUrl = "url" in request ? request.url : null;
    const file = "file" in reply ? reply.file : null;
    const body = "file" in reply ? readFileSync(SAMPLES + reply.file, "utf8") : reply.body;
    const { status, headers } = reply;
    const { method } = request;
    return { service, note, file, sourceUrl, method, requestUrl, status, headers, body };
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}
