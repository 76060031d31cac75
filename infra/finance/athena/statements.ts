import { COUNTERS } from "../load/counters.ts";
import { listSql, readSql } from "../load/sql.ts";
import { exportTime, openingTime } from "../load/times.ts";

/** Where the data files of one full export of each table lie: `s3://…/AWSDynamoDB/<id>/data/`. */
export interface Locations {
  readonly accounts: string;
  readonly ledger: string;
}

export interface Prefixed {
  readonly closing: Locations;
  readonly opening: (Locations & { readonly atMs: number }) | null;
  /** The closing export's time, in milliseconds since 1970. */
  readonly exportedMs: number;
}

/** Statements for Athena, in order: tables, views, and the query that lists discrepancies. */
export function athenaStatements({ closing, opening, exportedMs }: Prefixed): string[] {
  return [
    ...tables("", closing),
    ...(opening === null ? [] : tables("opening_", opening)),
    view("services", readSql("views/services")),
    view("export_time", exportTime(exportedMs)),
    ...(opening === null ? [] : [view("opening_time", openingTime(opening.atMs))]),
    ...views(""),
    ...(opening === null ? [] : views("opening_")),
    checks(opening === null ? ["checks"] : ["checks", "series"]),
  ];
}

type State = "" | "opening_";

function tables(of: State, { accounts, ledger }: Locations): string[] {
  return [
    readSql("athena/accounts_export", {
      of,
      location: accounts,
      counters: COUNTERS.map((name) => `${name}:struct<n:string>`).join(",\n    "),
    }),
    readSql("athena/ledger_export", { of, location: ledger }),
  ];
}

/** The views that the checks read. Only the first five differ from those of `npm run reconcile`. */
function views(of: State): string[] {
  return [
    ...["accounts", "holds", "pending", "ledger"].map((name) =>
      view(`${of}${name}`, readSql(`athena/${name}`, { of })),
    ),
    view(`${of}counters`, readSql("athena/counters", { of, ...counterRows() })),
    // Athena, like its engine Trino, formats dates with MySQL's patterns.
    view(`${of}usage`, readSql("views/usage", { of }).replace("strftime(", "date_format(")),
    view(`${of}credits`, readSql("views/credits", { of })),
    view(`${of}records`, readSql("views/records", { of })),
    view(`${of}charges`, readSql("sums/charges", { of })),
    view(`${of}topups`, readSql("sums/topups", { of })),
  ];
}

/** Each counter is an attribute of its own, and becomes a row. */
function counterRows() {
  const cases = COUNTERS.map((name) => `WHEN '${name}' THEN e.item.${name}.n`).join("\n    ");
  return { cases, names: COUNTERS.map((name) => `('${name}')`).join(", ") };
}

function view(name: string, query: string): string {
  return `CREATE OR REPLACE VIEW ${name} AS\n${query.trim()}`;
}

/** The same files that `npm run reconcile` runs, in one query. */
function checks(folders: readonly string[]): string {
  const queries = folders.flatMap((folder) =>
    listSql(folder).map(
      (name) =>
        `SELECT '${name}' AS check_name, account, request, expected, found FROM (\n` +
        `${readSql(`${folder}/${name}`).trim()}\n) AS ${name}`,
    ),
  );
  return `${queries.join("\nUNION ALL\n")}\nORDER BY 1, 2, 3`;
}
