import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { Database } from "../load/database.ts";
import { prepareStatements, readStatements, type Wanted } from "./collect.ts";
import { statementCsv } from "./csv.ts";
import { statementPage } from "./page.ts";

const FILES_AT_ONCE = 32;

/**
 * Writes `statements/<account>.html` and `.csv` below the folder.
 * @param onFile is told how many of all statements are written
 */
export async function writeStatements(
  db: Database,
  wanted: Wanted & { folder: string },
  onFile: (done: number, total: number) => void,
): Promise<Answer<number>> {
  const total = await prepareStatements(db, wanted);
  if (total < new Set(wanted.accounts).size) {
    return problem("An account of --account is in no export. No statement was written.");
  }
  const folder = join(wanted.folder, "statements");
  await mkdir(folder, { recursive: true });
  let writing: Promise<void>[] = [];
  let done = 0;
  for await (const statement of readStatements(db, wanted.month)) {
    const { account } = statement;
    // The name of a file: nothing else may be in it.
    if (!/^[\w-]{1,64}$/.test(account)) return problem(`${account} is no id of an account.`);
    writing.push(writeFile(join(folder, `${account}.html`), statementPage(statement)));
    writing.push(writeFile(join(folder, `${account}.csv`), statementCsv(statement)));
    onFile(++done, total);
    if (writing.length < FILES_AT_ONCE) continue;
    await Promise.all(writing);
    writing = [];
  }
  await Promise.all(writing);
  return answer(done);
}
