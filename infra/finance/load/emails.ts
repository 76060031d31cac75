import { readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { type Database, literal } from "../load/database.ts";

const SIZE_MAX_BYTES = 256 << 20;
const ROWS_AT_ONCE = 1_000;

const listSchema = z.object({
  accounts: z.array(z.object({ account_id: z.string(), email: z.string() })),
});

/** Fills the table `emails` from a file with what `ops --json account list` prints. */
export async function loadEmails(db: Database, path: string): Promise<Answer<void>> {
  const list = await readList(path);
  if (list === null) {
    return problem(
      `${path}: it is no list of accounts with their emails. Make it with ` +
        "`npm run --silent ops -- --json account list > FILE`.",
    );
  }
  for (let at = 0; at < list.length; at += ROWS_AT_ONCE) {
    const rows = list
      .slice(at, at + ROWS_AT_ONCE)
      .map(({ account_id, email }) => `(${literal(account_id)}, ${literal(email)})`);
    await db.run(`INSERT INTO emails VALUES ${rows.join(", ")}`);
  }
  return answer(undefined);
}

async function readList(path: string) {
  try {
    if ((await stat(path)).size > SIZE_MAX_BYTES) return null;
    return listSchema.parse(JSON.parse(await readFile(path, "utf8"))).accounts;
  } catch {
    return null;
  }
}
