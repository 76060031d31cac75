import * as z from "zod";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { AnyTable } from "../read/manifest.ts";
import { lineOf } from "./damage.ts";
import type { Database } from "./database.ts";
import type { Target } from "./insert.ts";
import { readSql } from "./sql.ts";
import { type Naming, nameOf, namingOf } from "./words.ts";

const countSchema = z.object({ file: z.string(), items: z.coerce.number() });

/** Refuses a data file whose number of items differs from its manifest. */
export async function checkCounts(db: Database, targets: readonly Target[]): Promise<Answer<void>> {
  const counts = new Map<string, number>();
  for (const name of tablesOf(targets).keys()) {
    if (name.endsWith("_old")) continue;
    const sql = `SELECT file, count(*) AS items FROM ${name} GROUP BY file`;
    for (const { file, items } of await db.rows(sql, countSchema)) counts.set(file, items);
  }
  for (const { path, itemCount } of targets.flatMap((target) => target.export.files)) {
    const items = counts.get(path) ?? 0;
    if (items === itemCount) continue;
    return problem(`${path}: holds ${items} items, its manifest says ${itemCount}. Export again.`);
  }
  return answer(undefined);
}

const lackSchema = z.object({
  file: z.string(),
  first: z.string().nullable(),
  second: z.string().nullable(),
  attribute: z.string(),
});
type Lack = z.infer<typeof lackSchema>;

/** Refuses items that this version of the service would not store. */
export async function checkForm(db: Database, targets: readonly Target[]): Promise<Answer<void>> {
  for (const [name, table] of tablesOf(targets)) {
    const [lack] = await db.rows(readSql(`load/${table}-problem`, { table: name }), lackSchema);
    if (lack !== undefined) return problem(await explain(lack, namingOf(table)));
  }
  return answer(undefined);
}

async function explain(lack: Lack, naming: Naming): Promise<string> {
  const line = await lineOf(lack.file, naming.keys, lack);
  const place = line === null ? lack.file : `${lack.file}, line ${line}`;
  const item = [lack.first ?? "without a name", lack.second].filter((part) => part !== null);
  return (
    `${place}: the ${naming.item} ${item.join(" ")} has no proper ${nameOf(naming, lack.attribute)}. ` +
    "It was damaged, or it is of another service or another version of it " +
    "(src/credits/schema.md): use that version's tools."
  );
}

/** The tables that were read, each with the service's table that it shows. */
function tablesOf(targets: readonly Target[]): Map<string, AnyTable> {
  const names = new Map<string, AnyTable>();
  for (const { name, window, export: one } of targets) {
    if (window === null) names.set(name, one.table);
    else names.set(`${name}_changes`, one.table).set(`${name}_old`, one.table);
  }
  return names;
}
