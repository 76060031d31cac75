import * as z from "zod";
import { type Database, literal } from "../load/database.ts";
import { readSql, wordingOf } from "../load/sql.ts";

/** A credit that is not accounted for. `request`: the id of the request, or of the top-up's record. */
export const findingSchema = z.object({
  check: z.string(),
  account: z.string(),
  request: z.string().nullable(),
  expected: z.string(),
  found: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

const explainedSchema = findingSchema.extend({ name: z.string(), sentence: z.string() });
/** A finding with what accountants call it, and in one sentence. */
export type Explained = z.infer<typeof explainedSchema>;

/** Adds the findings of that check, except those that are already known of the same record. */
export async function runCheck(db: Pick<Database, "run">, path: string): Promise<void> {
  const check = path.slice(path.lastIndexOf("/") + 1);
  const name = literal(check);
  const wording = wordingOf(path);
  await db.run(
    `INSERT OR REPLACE INTO wordings VALUES (${name}, ${literal(wording.name)}, ${literal(wording.says)})`,
  );
  await db.run(
    `INSERT INTO findings
     SELECT ${name}, account, request, expected, found FROM (${readSql(path)}) f
     WHERE NOT EXISTS (
       SELECT 1 FROM findings k WHERE k.check_name = ${name} AND k.account = f.account
         AND k.request IS NOT DISTINCT FROM f.request
     )`,
  );
}

/** The first `limit` findings, in order. */
export function readFindings(db: Database, limit: number): Promise<Explained[]> {
  return db.rows(`${readSql("report/discrepancies")} LIMIT ${limit}`, explainedSchema);
}

const countSchema = z.object({ check: z.string(), findings: z.coerce.number() });

/** How many findings each check has. Leaves out checks without findings. */
export async function countFindings(db: Database): Promise<Map<string, number>> {
  const counts = await db.rows(
    'SELECT check_name AS "check", count(*) AS findings FROM findings GROUP BY 1',
    countSchema,
  );
  return new Map(counts.map(({ check, findings }) => [check, findings]));
}
