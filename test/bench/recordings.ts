import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { loadSamples } from "../../infra/local/sample-gateway.ts";
import { SAMPLES_FOLDER } from "../../infra/local/stack.ts";
import { type Service, serviceSchema } from "../../src/contract/schemas.ts";

/** Real replies. They may lie beside the checkout and are not part of the project. */
const RECORDED = fileURLToPath(new URL("../../../shared/recorded/", import.meta.url));

const rowsSchema = z.array(z.object({ file: z.string(), post_url: z.string().nullable() }));

/** A platform's reply for a post. */
export interface Recording {
  readonly service: Service;
  readonly postUrl: string;
  readonly file: string;
  readonly body: string;
}

/**
 * The recorded replies, if there are any, otherwise the bundled samples. The largest comes first.
 */
export async function readRecordings(): Promise<Recording[]> {
  const rows = existsSync(RECORDED) ? await recordedRows() : await sampleRows();
  const recordings = await Promise.all(
    rows.map(async (row) => ({ ...row, body: await readFile(row.file, "utf8") })),
  );
  const pages = recordings.flatMap((recording) => pageOf(recording, recordings));
  return [...recordings, ...pages].sort((a, b) => b.body.length - a.body.length);
}

/** Some recordings have only a page's data. They are put into a page. */
function pageOf(recording: Recording, recordings: readonly Recording[]): readonly Recording[] {
  const { service, file, body } = recording;
  if (service === "short-video" && /\/rehydration-/.test(file)) {
    const id = "__UNIVERSAL_DATA_FOR_REHYDRATION__";
    return [{ ...recording, body: `<html><script id="${id}">${body}</script></html>` }];
  }
  if (service === "photo-feed" && /\/v1-/.test(file)) {
    const page = recordings.find((other) => /photo-feed\/page-/.test(other.file))?.body ?? "<html>";
    const media = `{"xig_polaris_media":${body}}`;
    const script = `<script type="application/json" data-sjs>${media}</script>`;
    return [{ ...recording, body: page + script }];
  }
  return [];
}

async function recordedRows(): Promise<Omit<Recording, "body">[]> {
  const rows = rowsSchema.parse(JSON.parse(await readFile(`${RECORDED}index.json`, "utf8")));
  return rows.flatMap(({ file, post_url: postUrl }) => {
    const service = serviceSchema.safeParse(file.replace(/\/.*$/, ""));
    if (!service.success || postUrl === null) return [];
    return { service: service.data, postUrl, file: RECORDED + file };
  });
}

async function sampleRows(): Promise<Omit<Recording, "body">[]> {
  const samples = await loadSamples(SAMPLES_FOLDER);
  return samples.flatMap(({ service, source_url: postUrl, reply }) => {
    if (postUrl === undefined || !("file" in reply)) return [];
    return { service, postUrl, file: SAMPLES_FOLDER + reply.file };
  });
}
