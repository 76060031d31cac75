import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import * as z from "zod";
import { ERRORS, type ErrorCode } from "../../src/contract/errors.ts";
import { serviceSchema } from "../../src/contract/schemas.ts";
import { close, listen } from "./loopback.ts";

const anyMethod = z.enum(["GET", "HEAD", "POST"]).default("GET");

const replyParts = {
  status: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).default({}),
};

/** A code of the error catalogue. */
export const errorCodeSchema = z.custom<ErrorCode>(isErrorCode, "no error code");

/** One row of `infra/local/samples/index.json`. The README beside it explains each field. */
export const sampleSchema = z.strictObject({
  service: serviceSchema,
  note: z.string().min(1),
  source_url: z.url({ protocol: /^https$/ }).optional(),
  outcome: errorCodeSchema.optional(),
  request: z.union([
    z.strictObject({ method: anyMethod, url: z.url() }),
    z.strictObject({ method: anyMethod, pattern: z.string().refine(isPattern, "not a pattern") }),
  ]),
  reply: z.union([
    z.strictObject({ ...replyParts, file: z.string().regex(/^[\w.-]+$/) }),
    z.strictObject({ ...replyParts, body: z.string().default("") }),
  ]),
});
export type Sample = z.infer<typeof sampleSchema>;

/** The gateway that answers upstream requests from samples. */
export interface SampleGateway {
  /** For `EGRESS_URL`. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

export interface SampleGatewayOptions {
  /** Folder of `index.json` and the bodies. */
  readonly folder: string;
  /** Called with each target that no sample answers. */
  readonly onMissing: (target: string) => void;
}

/**
 * Reads the rows of a folder's `index.json`.
 * @throws ZodError that says which row has which problem
 */
export async function loadSamples(folder: string): Promise<readonly Sample[]> {
  return z
    .array(sampleSchema)
    .parse(JSON.parse(await readFile(join(folder, "index.json"), "utf8")));
}

/** The first row that matches a request. Undefined if there is none. */
export function findSample(
  samples: readonly Sample[],
  method: string,
  target: string,
): Sample | undefined {
  return samples.find(({ request }) => {
    if (request.method !== method) return false;
    if ("url" in request) return request.url === target;
    return new RegExp(`^(?:${request.pattern})$`).test(target);
  });
}

/**
 * Serves a folder's samples in the way the egress gateway serves the platforms: `/?url=<target>`.
 */
export async function startSampleGateway(options: SampleGatewayOptions): Promise<SampleGateway> {
  const samples = await loadSamples(options.folder);
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? "/", "http://gateway").searchParams.get("url") ?? "";
    const sample = findSample(samples, request.method ?? "GET", target);
    request.resume();
    if (sample !== undefined) return void reply(response, sample, options.folder);
    options.onMissing(target);
    response.writeHead(502, { "content-type": "text/plain" }).end(`no sample for ${target}`);
  });
  return { url: await listen(server), stop: () => close(server) };
}

async function reply(response: ServerResponse, sample: Sample, folder: string): Promise<void> {
  const { reply } = sample;
  try {
    const body = "file" in reply ? await readFile(join(folder, reply.file)) : reply.body;
    response.writeHead(reply.status, reply.headers).end(body);
  } catch {
    response.writeHead(502, { "content-type": "text/plain" }).end(`no body for "${sample.note}"`);
  }
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== null;
  } catch {
    return false;
  }
}

function isErrorCode(code: unknown): boolean {
  return typeof code === "string" && Object.hasOwn(ERRORS, code);
}
