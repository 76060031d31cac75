import { InvalidArgumentError } from "@commander-js/extra-typings";
import { exportToCloud } from "../../finance/export/cloud.ts";
import { exportLocal } from "../../finance/export/local.ts";
import type { Period } from "../../finance/export/write.ts";
import type { Tables } from "../../tables/tables.ts";
import { type Answer, problem } from "../../terminal/answer.ts";
import { time } from "../options.ts";
import { scanAll } from "../scan.ts";
import type { Program } from "./program.ts";
import { run } from "./run.ts";

interface Options {
  readonly bucket?: string;
  readonly prefix: string;
  readonly at?: Date;
  readonly since?: Date;
  readonly until?: Date;
  readonly to?: string;
}

/** `ledger export` */
export function ledgerCommands(program: Program): void {
  program
    .command("ledger")
    .description("exports of accounts and ledger, for finance")
    .command("export")
    .description("export both tables as they were at one time, or what changed in between")
    .option("--bucket <name>", "S3 bucket to export to")
    .option("--prefix <path>", "folder in the bucket", prefix, "")
    .option("--at <time>", "the state at that time (default: now)", time)
    .option("--since <time>", "only what changed since then, 15 minutes to 24 hours", time)
    .option("--until <time>", "the end of that window (default: 24 hours after its start)", time)
    .option("--to <folder>", "with --local: a folder on this machine instead of a bucket")
    .action((options, command) =>
      run(command, {
        work: (tables, { local }) =>
          local ? toFolder(tables, options) : toBucket(tables, options),
      }),
    );
}

async function toFolder(tables: Tables, { to, since, at }: Options): Promise<Answer<object>> {
  if (to === undefined) return problem("Name the folder to export to: --to DIR.");
  if (since !== undefined || at !== undefined) {
    return problem("A local export shows the tables as they are: leave --at and --since out.");
  }
  const scan = (table: string) => scanAll(tables, table);
  return exportLocal({ ...tables, scan, now: () => Date.now() }, to);
}

async function toBucket(tables: Tables, options: Options): Promise<Answer<object>> {
  const { bucket, prefix } = options;
  if (bucket === undefined) return problem("Name the bucket to export to: --bucket B.");
  const startedMs = Date.now();
  const { client, accounts, ledger } = tables;
  const done = await exportToCloud(
    {
      client,
      sleep: (delayMs) => new Promise((wake) => setTimeout(wake, delayMs)),
      onState: (state) => {
        const seconds = Math.round((Date.now() - startedMs) / 1000);
        const line = `${state}, ${seconds} s`;
        process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
      },
    },
    { accounts, ledger, bucket, prefix, period: periodOf(options, startedMs) },
  );
  if (process.stderr.isTTY) process.stderr.write("\n");
  return done;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whole seconds, so that the two exports show the same moment. */
function periodOf({ at, since, until }: Options, nowMs: number): Period {
  if (since === undefined) {
    return { kind: "full", atMs: Math.floor((at?.getTime() ?? nowMs) / 1000) * 1000 };
  }
  const fromMs = since.getTime();
  return { kind: "incremental", fromMs, toMs: until?.getTime() ?? fromMs + DAY_MS };
}

function prefix(text: string): string {
  if (!/^[\w!*'()./-]*$/.test(text)) throw new InvalidArgumentError("Not a folder's name in S3.");
  return text.replace(/\/+$/, "");
}
