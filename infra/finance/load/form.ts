import * as z from "zod";
import { type Answer, answer, problem } from "../../ops/answer.ts";
import type { Table } from "../read/manifest.ts";
import type { Database } from "./database.ts";
import type { Job } from "./insert.ts";
import { readSql } from "./sql.ts";

const lackSchema = z.object({ file: z.number(), item: z.string(), attribute: z.string() });

/** Refuses items that are not as this version of the service stores them. */
export async function checkForm(db: Database, jobs: readonly Job[]): Promise<Answer<void>> {
  const names = new Map<string, Table>();
  for (const { target } of jobs) {
    const { table } = target.export;
    if (target.window === null) names.set(target.name, table);
    else names.set(`${table}_changes`, table).set(`${table}_old`, table);
  }
  for (const [name, table] of names) {
    const [lack] = await db.rows(readSql(`load/${table}-problem`, { table: name }), lackSchema);
    if (lack === undefined) continue;
    return problem(
      `${jobs[lack.file]?.file.path}: the item ${lack.item} has no proper ${lack.attribute}, so it ` +
        `is no item of the ${table} table as this version stores it (src/credits/schema.md). Is the ` +
        "export of another service, or of another version? Use that version's tools.",
    );
  }
  return answer(undefined);
}
