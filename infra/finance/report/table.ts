import { grouped } from "../money/amount.ts";
import { type Html, html } from "./html.ts";
import { whole } from "./numbers.ts";

/** An amount of money. */
export interface Amount {
  readonly decimal: string;
}

type Value = string | number | Amount;

/** A column: its heading, and its value in a row. Groups the digits of numbers and amounts by three. */
export type Column<T> = readonly [heading: string, show: (row: T) => Value];

/** Decimal text as a table's amount; nothing for none. */
export function amountOf(decimal: string | null): Value {
  return decimal === null ? "" : { decimal };
}

/**
 * A table with a caption. Numbers and amounts are right-aligned; the first column has the rows' headings. A
 * reader without a mouse can scroll it, where it is wider than the page.
 */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): Html {
  const isFigure = columns.map(([, show]) => rows.some((row) => typeof show(row) !== "string"));
  const headings = columns.map(
    ([heading], at) => html`<th scope="col"${classOf(isFigure[at])}>${heading}</th>`,
  );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption><span>${caption}</span></caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column, at) => cell(column, row, at === 0))}</tr>\n`)}</tbody>
</table></div>`;
}

function cell<T>([, show]: Column<T>, row: T, isHeading: boolean): Html {
  const value = show(row);
  const figure = classOf(typeof value !== "string");
  const text = textOf(value);
  return isHeading ? html`<th scope="row"${figure}>${text}</th>` : html`<td${figure}>${text}</td>`;
}

function textOf(value: Value): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? whole(value) : grouped(value.decimal);
}

function classOf(isFigure: boolean | undefined): Html {
  return isFigure ? html` class="figure"` : html``;
}
