import type { Movement, Statement } from "./collect.ts";

const COLUMNS = [
  ...["date", "type", "service", "reference", "requests", "items"],
  ...["credits", "balance", "net", "tax", "gross", "currency"],
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], string | number | null>>;

/** The statement for a spreadsheet: what moved, in order of time, between the two balances. */
export function statementCsv(statement: Statement): string {
  const rows: Row[] = [
    ...statement.movements.map(movementRow),
    ...statement.usage.map(({ day, service, requests, items, credits }) => ({
      ...{ date: day, type: "usage", service, requests, items, credits: -credits },
    })),
  ];
  rows.sort((a, b) => String(a.date).localeCompare(String(b.date)));
  const all: Row[] = [
    { type: "opening", balance: statement.opening },
    ...rows,
    { type: "closing", balance: statement.closing },
  ];
  const lines = all.map((row) => COLUMNS.map((name) => field(row[name] ?? "")).join(","));
  return `${COLUMNS.join(",")}\n${lines.join("\n")}\n`;
}

function movementRow(movement: Movement): Row {
  const { day: date, reference, credits, net, tax, gross, currency } = movement;
  return { date, type: typeOf(movement), reference, credits, net, tax, gross, currency };
}

/** What a movement is called: a refund and a chargeback are adjustments by their records. */
export function typeOf({ kind, refunds, reason }: Movement): string {
  return refunds === null ? kind : (reason ?? kind);
}

/** A spreadsheet takes text with such a beginning for a formula. A quote before it makes it text. */
function field(value: string | number): string {
  if (typeof value === "number") return String(value === 0 ? 0 : value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(value);
  const safe = !isNumber && /^[=+@\t\r-]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
