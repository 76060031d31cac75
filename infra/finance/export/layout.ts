import { basename, dirname, join, posix } from "node:path";
import * as z from "zod";

/** The layout of a DynamoDB table export, as Amazon documents it (2026-11) and as parsers meet it. */

/** Folder that every export makes below its prefix. */
export const EXPORT_ROOT = "AWSDynamoDB";
export const SUMMARY_FILE = "manifest-summary.json";
export const FILES_FILE = "manifest-files.json";
/** The only layout that this code understands. The manifest names it. */
export const MANIFEST_VERSION = "2020-06-30";
export const OUTPUT_FORMAT = "DYNAMODB_JSON";
export const INCREMENTAL = "INCREMENTAL_EXPORT";
export const OUTPUT_VIEW = "NEW_AND_OLD_IMAGES";

const instant = z.iso.datetime({ offset: true });

/** `manifest-summary.json`. An incremental export has a window instead of an `exportTime`. */
export const summarySchema = z.object({
  version: z.string(),
  exportArn: z.string(),
  tableArn: z.string(),
  exportTime: instant.nullish(),
  itemCount: z.int().nonnegative(),
  outputFormat: z.string(),
  exportType: z.string().nullish(),
  outputView: z.string().nullish(),
  exportFromTime: instant.nullish(),
  exportToTime: instant.nullish(),
});
export type Summary = z.infer<typeof summarySchema>;

/** A line of `manifest-files.json`. */
export const dataFileSchema = z.object({
  itemCount: z.int().nonnegative(),
  md5Checksum: z.string(),
  dataFileS3Key: z.string(),
});
export type DataFile = z.infer<typeof dataFileSchema>;

/**
 * Where a data file lies on this disk. A full export has its own folder for them; incremental
 * exports share one folder. In a copy without the root folder, the file's name alone finds it.
 * @param folder the folder of the manifests
 * @returns the paths to try, most likely first
 */
export function placesOf(folder: string, dataFileS3Key: string): string[] {
  const parts = dataFileS3Key.split("/");
  const below = parts.slice(parts.lastIndexOf(EXPORT_ROOT) + 1);
  const name = basename(dataFileS3Key);
  const root = dirname(folder);
  return [join(root, ...below), join(folder, "data", name), join(root, "data", name)];
}

/** S3 key of a file of an export without a prefix. */
export function keyOf(...parts: readonly string[]): string {
  return posix.join(EXPORT_ROOT, ...parts);
}

/** The table's name, the last part of its ARN. */
export function tableOf(tableArn: string): string {
  return tableArn.slice(tableArn.lastIndexOf("/") + 1);
}
