import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { findExports } from "../read/find.ts";
import { type AnyExport, readExport } from "../read/manifest.ts";
import { hashInputs, hashOutputs } from "./hash-files.ts";
import { monthAfter } from "./months.ts";
import { readSeal, SEAL_FILE, type Seal, type SealedFile } from "./seal.ts";

/** A sealed month that was checked. */
export interface CheckedMonth {
  readonly month: string;
  readonly discrepancies: number;
  readonly outputs: number;
  readonly inputs: number;
  /** How many of the inputs were there to be hashed again. */
  readonly inputsChecked: number;
}

interface Sealed extends Seal {
  readonly folder: string;
}

/**
 * Checks sealed months: each signature, each result, each export that is given, and that the months
 * follow each other without a gap, each naming the seal before it.
 * @param folders with the results and seals, in any order
 * @param exportFolders with the exports, as far as they are kept
 */
export async function checkChain(
  folders: readonly string[],
  publicKey: string,
  exportFolders: readonly string[],
): Promise<Answer<CheckedMonth[]>> {
  const seals: Sealed[] = [];
  for (const folder of folders) {
    const path = join(folder, SEAL_FILE);
    const text = await readFile(path, "utf8").catch(() => null);
    if (text === null) return problem(`${path}: there is no seal.`);
    const seal = readSeal(text, publicKey);
    if (!seal.ok) return problem(`${path}: ${seal.problem}`);
    seals.push({ ...seal.value, folder });
  }
  const ordered = seals.toSorted((a, b) => (a.content.month < b.content.month ? -1 : 1));
  const gap = brokenLink(ordered);
  if (gap !== null) return problem(gap);
  const given = await givenInputs(exportFolders);
  return given.ok ? checkAll(ordered, given.value) : given;
}

async function checkAll(
  seals: readonly Sealed[],
  given: readonly SealedFile[],
): Promise<Answer<CheckedMonth[]>> {
  const months: CheckedMonth[] = [];
  for (const { folder, content } of seals) {
    const { month, discrepancies, inputs, outputs } = content;
    const changed = difference(outputs, await hashOutputs(folder));
    if (changed !== null) return problem(`${join(folder, changed)} after ${month} was sealed.`);
    const names = new Map(given.map((file) => [file.name, file]));
    const there = inputs.filter(({ name }) => names.has(name));
    const other = there.find(({ name, sha256 }) => names.get(name)?.sha256 !== sha256);
    if (other !== undefined) {
      return problem(`The export's file ${other.name} was changed after ${month} was sealed.`);
    }
    const counts = { outputs: outputs.length, inputs: inputs.length, inputsChecked: there.length };
    months.push({ month, discrepancies, ...counts });
  }
  return answer(months);
}

/** The first file that is other than when it was sealed, with what happened to it. */
function difference(sealed: readonly SealedFile[], found: readonly SealedFile[]): string | null {
  const now = new Map(found.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256 } of sealed) {
    if (!now.has(name)) return `${name}: it was removed`;
    if (now.get(name) !== sha256) return `${name}: it was changed`;
  }
  const known = new Set(sealed.map(({ name }) => name));
  const added = found.find(({ name }) => !known.has(name));
  return added === undefined ? null : `${added.name}: it was added`;
}

/** Why the seals are no chain. Null if they are one. */
function brokenLink(seals: readonly Sealed[]): string | null {
  for (const [at, { folder, content }] of seals.entries()) {
    const before = seals[at - 1];
    if (before === undefined) continue;
    const { month } = before.content;
    if (monthAfter(month) !== content.month) {
      return `${folder}: ${content.month} does not follow ${month}. Name each month once, without a gap.`;
    }
    if (content.previous?.sha256 !== before.sha256) {
      return `${folder}: the seal of ${content.month} names another seal of ${month} than the one in ${before.folder}.`;
    }
  }
  return null;
}

async function givenInputs(folders: readonly string[]): Promise<Answer<SealedFile[]>> {
  if (folders.length === 0) return answer([]);
  const found = await findExports(folders);
  if (!found.ok) return found;
  const exports: AnyExport[] = [];
  for (const folder of found.value) {
    const read = await readExport(folder);
    if (!read.ok) return read;
    exports.push(read.value);
  }
  return answer(await hashInputs(exports));
}
