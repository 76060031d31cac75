import Table from "cli-table3";

/** As wide as the terminal; 80 columns where the output goes elsewhere. */
export const COLUMNS = process.stdout.columns ?? 80;

/**
 * One object as aligned `name  value` lines, and its lists as tables below; a list as a table; all as
 * JSON when asked.
 * @param columnsMax A wider table becomes one block of lines for each row. Longer values are broken
 *   between words; a longer word stays whole.
 */
export function render(
  value: unknown,
  json: boolean,
  columnsMax = Number.POSITIVE_INFINITY,
): string {
  if (json) return JSON.stringify(value);
  if (Array.isArray(value)) return table(value, columnsMax);
  return typeof value === "object" && value !== null ? page(value, columnsMax) : String(value);
}

function page(shown: object, columnsMax: number): string {
  const fields: [string, unknown][] = Object.entries(shown);
  const plain = fields.filter(([, value]) => !Array.isArray(value));
  const tables = fields.flatMap(([name, value]) =>
    Array.isArray(value) ? [`${name}\n${table(value, columnsMax)}`] : [],
  );
  return [lines(plain, columnsMax), ...tables].join("\n\n");
}

function lines(fields: readonly [string, unknown][], columnsMax: number): string {
  const indent = Math.max(...fields.map(([name]) => name.length)) + 2;
  const folded = fields.map(([name, value]) => {
    const text = fold(cell(value), columnsMax - indent).join(`\n${" ".repeat(indent)}`);
    return `${name.padEnd(indent)}${text}`;
  });
  return folded.join("\n");
}

function fold(text: string, columnsMax: number): string[] {
  const folded: string[] = [];
  for (const word of text.split(" ")) {
    const last = folded.at(-1);
    if (last === undefined || last.length + 1 + word.length > columnsMax) folded.push(word);
    else folded[folded.length - 1] = `${last} ${word}`;
  }
  return folded;
}

function table(rows: readonly object[], columnsMax: number): string {
  const [first] = rows;
  if (first === undefined) return "None.";
  const head = Object.keys(first);
  const drawn = new Table({
    head,
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  for (const row of rows) drawn.push(Object.values(row).map(cell));
  const text = drawn.toString();
  // The border has one character a column, whatever the cells have.
  if (text.indexOf("\n") <= columnsMax) return text;
  return rows.map((row) => lines(Object.entries(row), columnsMax)).join("\n\n");
}

function cell(value: unknown): string {
  return value === null || value === undefined || value === "" ? "–" : String(value);
}
