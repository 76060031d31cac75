import Table from "cli-table3";

/** One object as aligned `name  value` lines; a list as a table; both as JSON when asked. */
export function render(value: unknown, json: boolean): string {
  if (json) return JSON.stringify(value);
  if (Array.isArray(value)) return table(value);
  return typeof value === "object" && value !== null ? lines(value) : String(value);
}

function lines(shown: object): string {
  const fields: [string, unknown][] = Object.entries(shown);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}`).join("\n");
}

function table(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return "None.";
  const head = Object.keys(first);
  const drawn = new Table({
    head,
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  for (const row of rows) drawn.push(Object.values(row).map(cell));
  return drawn.toString();
}

function cell(value: unknown): string {
  return value === null || value === undefined || value === "" ? "–" : String(value);
}
