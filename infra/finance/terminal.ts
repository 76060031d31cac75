import Table from "cli-table3";
import { grouped } from "./money/amount.ts";
import { isReconciled, moneyRows } from "./money/terminal.ts";
import type { Explained } from "./prove/findings.ts";
import { type Report, unexplained } from "./report/collect.ts";
import { whole } from "./report/numbers.ts";
import { verdictOf } from "./report/verdict.ts";

const FINDINGS_SHOWN = 20;
/** No lines between rows. */
const NONE = { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" };

/** The verdict, the statement, and the findings. Fits into 80 columns, except for long values. */
export function terminalText(report: Report): string {
  const { heading, detail } = verdictOf(report);
  const verdict = [heading, detail, ...report.notCompared.map(notComparedLine)].join("\n");
  const parts = [verdict, sourceLines(report), statement(report)];
  if (report.money !== null) parts.push(moneyTable(report.money));
  if (report.discrepancies > 0) parts.push(checkTable(report), findingLines(report));
  return `\n${parts.join("\n\n")}\n`;
}

function notComparedLine(sentence: string): string {
  return `NOT COMPARED: ${sentence}`;
}

function sourceLines({ sources }: Report): string {
  const width = Math.max(...sources.map(({ table }) => table.length));
  return sources
    .map(({ table, shows, items }) => `${table.padEnd(width)}  ${shows}: ${whole(items)} items`)
    .join("\n");
}

function statement(report: Report): string {
  const { totals, month } = report;
  const difference = unexplained(report);
  const rows: (readonly [string, number])[] = [
    [month === null ? "Balance before everything" : `Balance when ${month} began`, totals.opening],
    ["+ granted", totals.granted],
    ["+ purchased", totals.purchased],
    ["+ adjusted", totals.adjusted],
    [`- charged for ${whole(totals.requests)} requests`, totals.charged],
    [month === null ? "Balance at the export" : `Balance when ${month} ended`, totals.closing],
    ["+ moved since then", totals.moved_later],
    ...(difference === 0 ? [] : [["+ not explained by the ledger", difference] as const]),
    [`Available on ${whole(totals.accounts)} accounts`, totals.available_at_export],
    [`Held by ${whole(totals.open_holds)} open requests`, totals.held_at_export],
  ];
  return tableOf(["All accounts together", "Credits"], rows);
}

function checkTable({ checks }: Report): string {
  const failed = checks.filter(({ findings }) => findings > 0);
  return tableOf(
    ["Check", "Discrepancies"],
    failed.map(({ check, findings }) => [check, findings]),
  );
}

function moneyTable(money: NonNullable<Report["money"]>): string {
  const rows = moneyRows(money).map(([name, amount]) => [name, grouped(amount)] as const);
  const shown = tableOf(["In currency", "Amount"], rows);
  if (isReconciled(money)) return shown;
  return `${shown}\nThe credits behind the amounts are not those of the ledger: see report.html.`;
}

function tableOf(
  head: [string, string],
  rows: readonly (readonly [string, number | string])[],
): string {
  const table = new Table({
    head,
    colAligns: ["left", "right"],
    style: { head: [], border: [] },
    chars: NONE,
  });
  for (const [name, value] of rows) {
    table.push([name, typeof value === "number" ? whole(value) : value]);
  }
  return table.toString();
}

function findingLines({ findings, discrepancies }: Report): string {
  const shown = findings.slice(0, FINDINGS_SHOWN);
  const lines = shown.map(findingText);
  const rest = discrepancies - shown.length;
  if (rest > 0) lines.push(`… and ${whole(rest)} more: --out DIR writes all to discrepancies.csv.`);
  return lines.join("\n\n");
}

function findingText({ check, name, account, request, sentence }: Explained): string {
  const subject = request === null ? account : `${account}  ${request}`;
  return `${name} (${check})\n  ${subject}\n  ${sentence}`;
}
