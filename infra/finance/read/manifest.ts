import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type * as z from "zod";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import {
  type DataFile,
  dataFileSchema,
  FILES_FILE,
  INCREMENTAL,
  MANIFEST_VERSION,
  OUTPUT_FORMAT,
  OUTPUT_VIEW,
  placesOf,
  SUMMARY_FILE,
  type Summary,
  summarySchema,
  tableOf,
} from "../export/layout.ts";
import type { Period } from "../export/write.ts";
import { sameDigest } from "./digest.ts";

/** The two tables that hold the credits. */
export type Table = "accounts" | "ledger";
/** Every table whose exports finance works with. */
export type AnyTable = Table | "api-keys";

/** An export with verified manifests, but with data files that are not yet verified. */
export interface ExportOf<T extends AnyTable> {
  readonly folder: string;
  readonly arn: string;
  readonly table: T;
  /** The part of the table's name before `-accounts`, `-ledger` or `-api-keys`. */
  readonly stack: string;
  readonly period: Period;
  readonly itemCount: number;
  readonly files: readonly LocalFile[];
}

export type Export = ExportOf<Table>;
export type KeysExport = ExportOf<"api-keys">;
export type AnyExport = ExportOf<AnyTable>;

export interface LocalFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly itemCount: number;
  readonly md5Checksum: string;
}

const TABLES = ["accounts", "ledger", "api-keys"] as const;

const AGAIN = "Copy the export again, all of it.";

/** Reads and verifies the manifests of one export, and finds its data files. */
export async function readExport(folder: string): Promise<Answer<AnyExport>> {
  const summary = await readSummary(join(folder, SUMMARY_FILE));
  if (!summary.ok) return summary;
  const kind = recognize(folder, summary.value);
  if (!kind.ok) return kind;
  const files = await readFiles(folder);
  if (!files.ok) return files;
  const itemCount = files.value.reduce((sum, file) => sum + file.itemCount, 0);
  if (itemCount !== summary.value.itemCount) {
    return problem(
      `${join(folder, FILES_FILE)}: its files hold ${itemCount} items, ${SUMMARY_FILE} says ` +
        `${summary.value.itemCount}. ${AGAIN}`,
    );
  }
  const arn = summary.value.exportArn;
  return answer({ folder, arn, ...kind.value, itemCount, files: files.value });
}

async function readSummary(path: string): Promise<Answer<Summary>> {
  const content = await readVerified(path);
  if (!content.ok) return content;
  return parse(path, content.value, summarySchema);
}

/** Which table the export is of, and what it shows. Refuses exports that finance must not read. */
function recognize(
  folder: string,
  summary: Summary,
): Answer<Pick<AnyExport, "table" | "stack" | "period">> {
  const path = join(folder, SUMMARY_FILE);
  if (summary.version !== MANIFEST_VERSION || summary.outputFormat !== OUTPUT_FORMAT) {
    return problem(
      `${path}: an export of version ${summary.version} in ${summary.outputFormat}; only version ` +
        `${MANIFEST_VERSION} in ${OUTPUT_FORMAT} can be read. Export again as ops ledger export does.`,
    );
  }
  const name = tableOf(summary.tableArn);
  const table = TABLES.find((one) => name.endsWith(`-${one}`));
  if (table === undefined) {
    return problem(
      `${path}: an export of the table ${name}. Only exports of the tables …-accounts, …-ledger ` +
        "and …-api-keys can be reconciled; leave this one out.",
    );
  }
  const stack = name.slice(0, -table.length - 1);
  const period = readPeriod(summary);
  if (period === null) {
    return problem(
      `${path}: an incremental export needs its window and the view ${OUTPUT_VIEW}, a full one its ` +
        "exportTime. Export again as ops ledger export does.",
    );
  }
  return answer({ table, stack, period });
}

function readPeriod(summary: Summary): Period | null {
  if (summary.exportType === INCREMENTAL) {
    const { exportFromTime: from, exportToTime: to, outputView } = summary;
    if (from == null || to == null || outputView !== OUTPUT_VIEW) return null;
    return { kind: "incremental", fromMs: Date.parse(from), toMs: Date.parse(to) };
  }
  if (summary.exportTime == null) return null;
  return { kind: "full", atMs: Date.parse(summary.exportTime) };
}

async function readFiles(folder: string): Promise<Answer<LocalFile[]>> {
  const path = join(folder, FILES_FILE);
  const content = await readVerified(path);
  if (!content.ok) return content;
  const files: LocalFile[] = [];
  for (const line of content.value.split("\n").filter((text) => text.trim() !== "")) {
    const entry = parse(path, line, dataFileSchema);
    if (!entry.ok) return entry;
    const file = await locate(folder, entry.value);
    if (!file.ok) return file;
    files.push(file.value);
  }
  return answer(files);
}

async function locate(folder: string, entry: DataFile): Promise<Answer<LocalFile>> {
  const { itemCount, md5Checksum } = entry;
  for (const path of placesOf(folder, entry.dataFileS3Key)) {
    const found = await stat(path).catch(() => null);
    if (found?.isFile()) {
      return answer({ path, sizeBytes: found.size, itemCount, md5Checksum });
    }
  }
  return problem(
    `${folder}: the data file ${basename(entry.dataFileS3Key)} is missing; ${FILES_FILE} lists it ` +
      `with ${itemCount} items. ${AGAIN}`,
  );
}

/** A manifest whose bytes match the checksum beside it. Older exports call that file `.md5`. */
async function readVerified(path: string): Promise<Answer<string>> {
  const content = await readFile(path).catch(() => null);
  if (content === null) return problem(`${path} is missing or cannot be read. ${AGAIN}`);
  const checksum = await readChecksum(path);
  if (checksum === null) {
    return problem(`${path.replace(/json$/, "checksum")} is missing. ${AGAIN}`);
  }
  const md5 = createHash("md5").update(content).digest();
  if (!sameDigest(md5, checksum)) {
    return problem(`${path}: its MD5 is not the one in the .checksum file beside it. ${AGAIN}`);
  }
  return answer(content.toString("utf8"));
}

async function readChecksum(path: string): Promise<string | null> {
  for (const ending of ["checksum", "md5"]) {
    const found = await readFile(path.replace(/json$/, ending), "utf8").catch(() => null);
    if (found !== null) return found;
  }
  return null;
}

function parse<T>(path: string, text: string, schema: z.ZodType<T>): Answer<T> {
  try {
    const read = schema.safeParse(JSON.parse(text));
    if (read.success) return answer(read.data);
    const [issue] = read.error.issues;
    return problem(
      `${path}: ${issue?.path.join(".")}: ${issue?.message}. It is no export's manifest.`,
    );
  } catch {
    return problem(`${path}: it is no JSON, and so no export's manifest. ${AGAIN}`);
  }
}
