import { createHash } from "node:crypto";
import {
  DescribeExportCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type ExportDescription,
  ExportTableToPointInTimeCommand,
  type ExportTableToPointInTimeCommandInput,
} from "@aws-sdk/client-dynamodb";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { EXPORT_ROOT, OUTPUT_FORMAT, OUTPUT_VIEW } from "./layout.ts";
import type { Period } from "./write.ts";

/** What to export, and where. */
export interface CloudExport {
  readonly accounts: string;
  readonly ledger: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly period: Period;
}

export interface CloudAccess {
  readonly client: DynamoDBClient;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** Is told the state of both exports after each look. */
  readonly onState: (state: string) => void;
}

/** Where the finished exports lie. */
export interface InCloud {
  readonly accounts: string;
  readonly ledger: string;
}

/** An export of a small table takes minutes. */
const ASK_EVERY_MS = 15_000;

/**
 * Exports both tables at the same time and waits until both are done.
 *
 * Safe to repeat: within eight hours, Amazon takes the same request for the same export (client
 * token).
 */
export async function exportToCloud(
  access: CloudAccess,
  wanted: CloudExport,
): Promise<Answer<InCloud>> {
  try {
    const arns = [
      await start(access, wanted, wanted.accounts),
      await start(access, wanted, wanted.ledger),
    ];
    for (;;) {
      const [accounts, ledger] = await Promise.all(arns.map((arn) => describe(access, arn)));
      access.onState(`accounts ${accounts?.ExportStatus}, ledger ${ledger?.ExportStatus}`);
      const failed = [accounts, ledger].find((one) => one?.ExportStatus === "FAILED");
      if (failed !== undefined) {
        return problem(
          `${failed.ExportArn} failed: ${failed.FailureMessage ?? failed.FailureCode}`,
        );
      }
      if (accounts?.ExportStatus === "COMPLETED" && ledger?.ExportStatus === "COMPLETED") {
        return answer({ accounts: placeOf(wanted, accounts), ledger: placeOf(wanted, ledger) });
      }
      await access.sleep(ASK_EVERY_MS);
    }
  } catch (error) {
    return problem(explain(error));
  }
}

async function start({ client }: CloudAccess, wanted: CloudExport, table: string): Promise<string> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  const { ExportDescription } = await client.send(
    new ExportTableToPointInTimeCommand({
      TableArn: Table?.TableArn,
      S3Bucket: wanted.bucket,
      S3Prefix: wanted.prefix,
      ExportFormat: OUTPUT_FORMAT,
      ClientToken: tokenOf(wanted, table),
      ...periodInput(wanted.period),
    }),
  );
  return ExportDescription?.ExportArn ?? "";
}

/** Derived from the request, so that a second try finds the export of the first. */
function tokenOf(wanted: CloudExport, table: string): string {
  return createHash("sha256")
    .update(JSON.stringify([wanted, table]))
    .digest("hex")
    .slice(0, 32);
}

function periodInput(period: Period): Partial<ExportTableToPointInTimeCommandInput> {
  if (period.kind === "full") {
    return { ExportType: "FULL_EXPORT", ExportTime: new Date(period.atMs) };
  }
  return {
    ExportType: "INCREMENTAL_EXPORT",
    IncrementalExportSpecification: {
      ExportFromTime: new Date(period.fromMs),
      ExportToTime: new Date(period.toMs),
      ExportViewType: OUTPUT_VIEW,
    },
  };
}

async function describe({ client }: CloudAccess, ExportArn: string): Promise<ExportDescription> {
  const { ExportDescription } = await client.send(new DescribeExportCommand({ ExportArn }));
  return ExportDescription ?? {};
}

function placeOf({ bucket, prefix }: CloudExport, { ExportArn = "" }: ExportDescription): string {
  const id = ExportArn.slice(ExportArn.lastIndexOf("/") + 1);
  return `s3://${[bucket, prefix, EXPORT_ROOT, id].filter((part) => part !== "").join("/")}`;
}

const HINTS: Readonly<Record<string, string>> = {
  PointInTimeRecoveryUnavailableException: "Turn on the table's point-in-time recovery.",
  InvalidExportTimeException: "The time must be within the last 35 days and not ahead.",
  ResourceNotFoundException: "Is ACCOUNTS_TABLE or LEDGER_TABLE set, and the region right?",
  AccessDeniedException: "The operator needs dynamodb:ExportTableToPointInTime and s3:PutObject.",
};

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const hint = HINTS[error.name] ?? "Nothing is lost: run the same command again.";
  return `${error.name}: ${error.message} ${hint}`;
}
