import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const FOLDER = new URL("../sql/", import.meta.url);

/**
 * The text of `sql/<path>.sql` with each `{{name}}` replaced.
 * @throws Error if the text needs a name that is not given.
 */
export function readSql(path: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(new URL(`${path}.sql`, FOLDER), "utf8");
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}.sql needs ${name}`);
    return value;
  });
}

/** Names of the SQL files of a folder, in order. */
export function listSql(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, FOLDER))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => basename(name, ".sql"))
    .sort();
}

/** The sentence in a SQL file's first comment: the claim of the check. */
export function claimOf(path: string): string {
  const comment = /^(?:-- .*\n)+/.exec(readFileSync(new URL(`${path}.sql`, FOLDER), "utf8"))?.[0];
  return (comment ?? "").replaceAll(/^-- /gm, "").trim().replaceAll("\n", " ");
}
