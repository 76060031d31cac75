import { readFile } from "node:fs/promises";
import { type MacKey, readMacKey } from "../../../src/credits/record-mac.ts";
import { type Answer, answer, problem } from "../../terminal/answer.ts";

/** A few years of rotations. */
const KEYS_MAX = 100;

/**
 * The MAC keys in a file, one a line, or without a file those of the environment, apart by white
 * space. Null if neither names one. No problem shows a key.
 */
export async function readMacKeys(
  path: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Answer<MacKey[] | null>> {
  const text =
    path === undefined ? env["LEDGER_MAC_KEY"] : await readFile(path, "utf8").catch(() => null);
  if (text === undefined) return answer(null);
  if (text === null) return problem(`--mac-key ${path}: there is no such file to read.`);
  const entries = text.split(/\s+/).filter((entry) => entry !== "");
  const keys = entries.flatMap((entry) => readMacKey(entry) ?? []);
  const ids = new Set(keys.map(({ id }) => id));
  const isSound = keys.length > 0 && keys.length === entries.length && ids.size === keys.length;
  if (isSound && keys.length <= KEYS_MAX) return answer(keys);
  return problem(
    `${path === undefined ? "LEDGER_MAC_KEY" : `--mac-key ${path}`}: each line must be an id, a colon ` +
      "and 64 hex digits, and each id must occur once.",
  );
}
