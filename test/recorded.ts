import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { type Sample, sampleSchema } from "../infra/local/samples.ts";
import { serviceSchema } from "../src/contract.ts";

const recordingSchema = z.object({
  file: z.string(),
  post_url: z.string().nullable(),
  status: z.string(),
  items: z.array(z.object({ type: z.string(), file_name: z.string() })),
  author: z.string().nullable(),
});

const urlSchema = z.object({ url: z.string(), service: serviceSchema.nullable() });

/** A real reply with what it shows; `file_name` is the last path segment of a medium's URL. */
export type Recording = z.infer<typeof recordingSchema> & { readonly body: string };

/** A URL seen in public, with the service that accepts it, if any. */
export type SeenUrl = z.infer<typeof urlSchema>;

declare module "vitest" {
  interface ProvidedContext {
    readonly recordings: readonly Recording[];
    readonly seenUrls: readonly SeenUrl[];
    /** The bundled samples, bodies included. */
    readonly samples: readonly (Sample & { readonly body: string })[];
  }
}

/**
 * Reads the recorded replies that may lie beside the checkout: those of the given services. They are
 * not part of the project; where they are absent, both lists are empty, and one line says so.
 */
export function readRecorded(services: readonly string[]) {
  const folder = new URL("../../shared/recorded/", import.meta.url);
  if (!existsSync(folder)) {
    console.info("no recorded replies beside this checkout: the tests over them are left out");
    return { recordings: [], seenUrls: [] };
  }
  const text = (file: string) => readFileSync(new URL(file, folder), "utf8");
  const recordings = z
    .array(recordingSchema)
    .parse(JSON.parse(text("index.json")))
    .filter(({ file }) => services.includes(file.replace(/\/.*$/, "")))
    .map((row) => ({ ...row, body: text(row.file) }));
  return { recordings, seenUrls: z.array(urlSchema).parse(JSON.parse(text("urls.json"))) };
}

/** Reads the bundled samples for the tests that have no file system. */
export function readSamples() {
  const text = (file: string) => readFileSync(new URL(`samples/${file}`, import.meta.url), "utf8");
  return z
    .array(sampleSchema)
    .parse(JSON.parse(text("index.json")))
    .map((row) => ({
      ...row,
      body: "file" in row.reply ? text(row.reply.file) : row.reply.body,
    }));
}
