import { createPublicKey } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { Reconciled } from "../prove/reconcile.ts";
import type { Report } from "../report/collect.ts";
import { hashInputs, hashOutputs } from "./hash-files.ts";
import { monthAfter } from "./months.ts";
import { readSeal, SEAL_FILE, type SealContent, writeSeal } from "./seal.ts";

/** How to seal a month. */
export interface Sealing {
  /** Folder with the month's results, where the seal goes. */
  readonly folder: string;
  /** File with the private key. */
  readonly keyFile: string;
  /** Folder with the results of the month before, and its seal. Null for the first month. */
  readonly previousFolder: string | null;
  readonly nowMs: number;
}

/** Signs what was reconciled and what came of it. Refuses a month that is not over. */
export async function sealMonth(
  { series, keys }: Pick<Reconciled, "series" | "keys">,
  report: Report,
  sealing: Sealing,
): Promise<Answer<void>> {
  const { month } = report;
  if (month === null) return problem("--seal-key needs --month: a seal is of one month.");
  if (!report.isFinal) return problem(`${month} is not final, so it cannot be sealed yet.`);
  const key = await readFile(sealing.keyFile, "utf8").catch(() => null);
  if (key === null) return problem(`--seal-key ${sealing.keyFile}: there is no such file to read.`);
  const previous = await previousOf(sealing, month, key);
  if (!previous.ok) return previous;
  const exports = [...series.snapshots, ...series.windows].flatMap((one) => [
    one.accounts,
    one.ledger,
  ]);
  const seal = writeSeal(
    {
      version: 1,
      month,
      exported_at: report.exportedAt,
      sealed_at: new Date(sealing.nowMs).toISOString(),
      discrepancies: report.discrepancies,
      not_compared: [...report.notCompared],
      inputs: await hashInputs(keys === null ? exports : [...exports, keys]),
      outputs: await hashOutputs(sealing.folder),
      previous: previous.value,
    },
    key,
  );
  if (!seal.ok) return problem(`--seal-key ${sealing.keyFile}: ${seal.problem}`);
  await writeFile(join(sealing.folder, SEAL_FILE), seal.value);
  return answer(undefined);
}

/** Names the month before by its seal's hash, which must be one of the same key. */
async function previousOf(
  { previousFolder }: Sealing,
  month: string,
  privateKey: string,
): Promise<Answer<SealContent["previous"]>> {
  if (previousFolder === null) return answer(null);
  const path = join(previousFolder, SEAL_FILE);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null)
    return problem(`--previous ${previousFolder}: there is no ${SEAL_FILE} in it.`);
  const seal = readSeal(text, publicOf(privateKey));
  if (!seal.ok) return problem(`${path}: ${seal.problem}`);
  const { content, sha256 } = seal.value;
  if (monthAfter(content.month) !== month) {
    return problem(`${path}: it seals ${content.month}, which is not the month before ${month}.`);
  }
  return answer({ month: content.month, sha256 });
}

/** Empty for a text that is no key, which nothing is signed with. */
function publicOf(privateKey: string): string {
  try {
    return createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString();
  } catch {
    return "";
  }
}
