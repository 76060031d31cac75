import { join } from "node:path";
import { CommanderError } from "@commander-js/extra-typings";
import { type Answer, answer, problem } from "../terminal/answer.ts";
import { command, type Options } from "./command.ts";
import { type Database, openDatabase } from "./load/database.ts";
import { readPricesIf } from "./money/month.ts";
import { isReconciled } from "./money/terminal.ts";
import { createProgress, type Progress } from "./progress.ts";
import { exists } from "./read/find.ts";
import { readMacKeys } from "./read/mac-keys.ts";
import type { Report } from "./report/collect.ts";
import { prepareFolder } from "./report/prepare-folder.ts";
import { type Inputs, type Made, makeReport, writeResults } from "./results.ts";
import { sealMonth } from "./seal/close.ts";
import { SEAL_FILE } from "./seal/seal.ts";
import { terminalText } from "./terminal.ts";

/** Exit codes for scripts and schedulers. */
const BALANCED = 0;
const DISCREPANCIES = 1;
const UNTRUSTED = 2;
const WITHOUT_OPENING = 3;

process.exitCode = await main();

async function main(): Promise<number> {
  let db: Database | null = null;
  try {
    command.parse();
    const { statements, account, out } = command.opts();
    if ((statements ?? account) !== undefined && out === undefined) {
      command.error("error: statements are files: name a folder with --out");
    }
    db = await openDatabase();
    return await run(db, command.args, command.opts());
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? BALANCED : UNTRUSTED;
    console.error(error);
    return UNTRUSTED;
  } finally {
    await db?.close();
  }
}

async function run(db: Database, args: readonly string[], options: Options): Promise<number> {
  const inputs = await inputsOf(args, options);
  if (!inputs.ok) return refuse(inputs.problem);
  const progress = createProgress(process.stderr, () => Date.now());
  const made = await makeReport(db, inputs.value, progress.show);
  const written = made.ok ? await write(db, made.value.report, { options, progress }) : made;
  progress.end();
  if (!made.ok) return refuse(made.problem);
  if (!written.ok) return refuse(written.problem);
  console.log(terminalText(made.value.report));
  const sealed = await seal(made.value, options);
  if (!sealed.ok) {
    console.error(`NOT SEALED\n${sealed.problem}`);
    return UNTRUSTED;
  }
  return exitCode(made.value.report, options);
}

/** Everything that can be refused before the work, which takes minutes. */
async function inputsOf(args: readonly string[], options: Options): Promise<Answer<Inputs>> {
  const { out, keys } = options;
  const prepared = out === undefined ? answer(undefined) : await prepareOut(out);
  if (!prepared.ok) return prepared;
  const macKeys = await readMacKeys(options.macKey, process.env);
  if (!macKeys.ok) return macKeys;
  const prices = await readPricesIf(options.prices ?? null);
  if (!prices.ok) return prices;
  const sinceMs = options.macSince ?? null;
  return answer({
    folders: keys === undefined ? args : [...args, keys],
    month: options.month ?? null,
    macs: macKeys.value === null ? null : { keys: macKeys.value, sinceMs },
    prices: prices.value,
    emails: options.withEmails ?? null,
  });
}

/** A sealed month is never written over. */
async function prepareOut(folder: string): Promise<Answer<void>> {
  if (!(await exists(join(folder, SEAL_FILE)))) return prepareFolder(folder);
  return problem(`--out ${folder}: it holds a sealed month. Name another folder.`);
}

interface Told {
  readonly options: Options;
  readonly progress: Progress;
}

async function write(
  db: Database,
  report: Report,
  { options, progress }: Told,
): Promise<Answer<void>> {
  const { out, statements = false, account: accounts = [], prices: pricesFile = null } = options;
  if (out === undefined) return answer(undefined);
  const outputs = { report, folder: out, statements, accounts, pricesFile };
  return writeResults(db, outputs, (done, total) => progress.show("writing", done, total));
}

async function seal({ reconciled, report }: Made, options: Options): Promise<Answer<void>> {
  const { sealKey, out, previous } = options;
  if (sealKey === undefined) return answer(undefined);
  if (out === undefined) return problem("--seal-key needs --out: a seal is of the files there.");
  const previousFolder = previous ?? null;
  const sealing = { folder: out, keyFile: sealKey, previousFolder, nowMs: Date.now() };
  return sealMonth(reconciled, report, sealing);
}

function refuse(sentence: string): number {
  console.error(`CANNOT BE RECONCILED\n${sentence}`);
  return UNTRUSTED;
}

function exitCode({ discrepancies, money, lacksOpening }: Report, { opening }: Options): number {
  if (discrepancies > 0 || (money !== null && !isReconciled(money))) return DISCREPANCIES;
  return lacksOpening && opening ? WITHOUT_OPENING : BALANCED;
}
