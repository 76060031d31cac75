import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDataFiles, type DataFiles } from "./data-files.ts";
import {
  EXPORT_ROOT,
  FILES_FILE,
  INCREMENTAL,
  keyOf,
  MANIFEST_VERSION,
  OUTPUT_FORMAT,
  OUTPUT_VIEW,
  SUMMARY_FILE,
} from "./layout.ts";

/** What an export shows: the table at one time, or its changes between two times. */
export type Period =
  | { readonly kind: "full"; readonly atMs: number }
  | { readonly kind: "incremental"; readonly fromMs: number; readonly toMs: number };

export interface ExportTarget {
  /** The folder in which `AWSDynamoDB` is created. */
  readonly folder: string;
  /** Amazon's are `<milliseconds, 14 digits>-<8 hex digits>`. */
  readonly exportId: string;
  readonly table: string;
  readonly period: Period;
  /** Items per data file. */
  readonly itemsPerFile?: number;
}

/** An export that is being written. */
export interface ExportWriter {
  /** Takes one line of DynamoDB JSON, without its line end. */
  readonly write: (line: string) => Promise<void> | undefined;
  /** Closes the data files and writes the manifests. Returns the folder of the manifests. */
  readonly finish: () => Promise<string>;
}

const ITEMS_PER_FILE = 250_000;
/** Replaces a real account and region, which nothing reads. */
const TABLES_ARN = "arn:aws:dynamodb:local:000000000000:table";

/**
 * Writes what `ExportTableToPointInTime` would write into a bucket: data files, both manifests and
 * their checksums. One data file is empty, because DynamoDB writes one for an empty partition.
 */
export async function openExport(target: ExportTarget): Promise<ExportWriter> {
  const { folder, exportId, period } = target;
  const parts = period.kind === "full" ? [exportId, "data"] : ["data"];
  const manifests = join(folder, EXPORT_ROOT, exportId);
  await mkdir(manifests, { recursive: true });
  await writeFile(join(manifests, "_started"), "");
  const data = join(folder, EXPORT_ROOT, ...parts);
  await mkdir(data, { recursive: true });
  const files = createDataFiles({
    folder: data,
    key: keyOf(...parts),
    name: exportId,
    itemsPerFile: target.itemsPerFile ?? ITEMS_PER_FILE,
  });
  const finish = async () => {
    await finishFiles(manifests, target, files);
    return manifests;
  };
  return { write: files.write, finish };
}

async function finishFiles(manifests: string, target: ExportTarget, files: DataFiles) {
  const entries = await files.finish();
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  const itemCount = entries.reduce((sum, entry) => sum + entry.itemCount, 0);
  await writeWithChecksum(manifests, FILES_FILE, lines);
  await writeWithChecksum(manifests, SUMMARY_FILE, JSON.stringify(summaryOf(target, itemCount)));
}

async function writeWithChecksum(folder: string, name: string, content: string) {
  await writeFile(join(folder, name), content);
  const checksum = createHash("md5").update(content).digest("base64");
  await writeFile(join(folder, name.replace(/json$/, "checksum")), checksum);
}

function summaryOf({ exportId, table, period }: ExportTarget, itemCount: number): object {
  const tableArn = `${TABLES_ARN}/${table}`;
  const toTime = iso(period.kind === "full" ? period.atMs : period.toMs);
  return {
    version: MANIFEST_VERSION,
    exportArn: `${tableArn}/export/${exportId}`,
    startTime: toTime,
    endTime: toTime,
    tableArn,
    tableId: "00000000-0000-0000-0000-000000000000",
    exportTime: period.kind === "full" ? toTime : null,
    s3Bucket: "local",
    s3Prefix: null,
    s3SseAlgorithm: "AES256",
    s3SseKmsKeyId: null,
    manifestFilesS3Key: keyOf(exportId, FILES_FILE),
    billedSizeBytes: 0,
    itemCount,
    outputFormat: OUTPUT_FORMAT,
    ...(period.kind === "incremental" && {
      exportType: INCREMENTAL,
      outputView: OUTPUT_VIEW,
      exportFromTime: iso(period.fromMs),
      exportToTime: toTime,
    }),
  };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
