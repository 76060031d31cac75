import { type Html, html } from "./html.ts";
import { whole } from "./numbers.ts";

/** A column: its heading, and its value in a row. Groups the digits of numbers by three. */
export type Column<T> = readonly [heading: string, show: (row: T) => string | number];

/** A table with a caption. Numbers are right-aligned; the first column has the rows' headings. */
export function table<T>(caption: string, columns: readonly Column<T>[], rows: readonly T[]): Html {
  const sample = rows[0];
  const isFigure = columns.map(
    ([, show]) => sample !== undefined && typeof show(sample) === "number",
  );
  const headings = columns.map(
    ([heading], at) => html`<th scope="col"${classOf(isFigure[at])}>${heading}</th>`,
  );
  return html`<div class="scroll"><table>
<caption>${caption}</caption>
<thead><tr>${headings}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${columns.map((column, at) => cell(column, row, at === 0))}</tr>\n`)}</tbody>
</table></div>`;
}

function cell<T>([, show]: Column<T>, row: T, isHeading: boolean): Html {
  const value = show(row);
  const text = typeof value === "number" ? whole(value) : value;
  const figure = classOf(typeof value === "number");
  return isHeading ? html`<th scope="row"${figure}>${text}</th>` : html`<td${figure}>${text}</td>`;
}

function classOf(isFigure: boolean | undefined): Html {
  return isFigure ? html` class="figure"` : html``;
}
