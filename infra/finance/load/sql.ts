import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const FOLDER = new URL("../sql/", import.meta.url);

/**
 * The text of `sql/<path>.sql` with each `{{name}}` replaced.
 * @throws Error if the text needs a name that is not given.
 */
export function readSql(path: string, values: Readonly<Record<string, string>> = {}): string {
  return readText(path).replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}.sql needs ${name}`);
    return value;
  });
}

function readText(path: string): string {
  return readFileSync(new URL(`${path}.sql`, FOLDER), "utf8");
}

/** Names of the SQL files of a folder, in order. */
export function listSql(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, FOLDER))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => basename(name, ".sql"))
    .sort();
}

/** What a check's file says of it in its first comment. */
export interface Wording {
  /** What must hold, in one sentence. */
  readonly claim: string;
  /** What accountants call it when it does not hold. */
  readonly name: string;
  /** The sentence of a finding: `{account}`, `{request}`, `{expected}` and `{found}` stand for its values. */
  readonly says: string;
}

const COMMENT = /^((?:-- .*\n)+?)-- Name: (.*)\.\n-- Says: (.*)\n/;

/** @throws Error if the file does not begin with claim, name and sentence. */
export function wordingOf(path: string): Wording {
  const [, claim, name, says] = COMMENT.exec(readText(path)) ?? [];
  if (claim === undefined || name === undefined || says === undefined) {
    throw new Error(`${path}.sql says neither its name nor its sentence`);
  }
  return { claim: claim.replaceAll(/^-- /gm, "").trim().replaceAll("\n", " "), name, says };
}
