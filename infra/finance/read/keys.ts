import { type Answer, answer, problem } from "../../terminal/answer.ts";
import type { AnyExport, Export, KeysExport } from "./manifest.ts";

/** Exports by what they are for. */
export interface Sorted {
  /** Of accounts and ledger. */
  readonly books: readonly Export[];
  /** The latest one of the API keys. Null if there is none. */
  readonly keys: KeysExport | null;
}

/** Separates the exports of the API keys. Refuses incremental ones: they do not show every key. */
export function sortOut(exports: readonly AnyExport[]): Answer<Sorted> {
  const books: Export[] = [];
  const keys: KeysExport[] = [];
  for (const { table, ...one } of exports) {
    if (table !== "api-keys") books.push({ ...one, table });
    else if (one.period.kind === "full") keys.push({ ...one, table });
    else return problem(`${one.folder}: of the API keys only a full export can be compared.`);
  }
  const latest = keys.toSorted((a, b) => keysMs(a) - keysMs(b)).at(-1) ?? null;
  const stack = books[0]?.stack;
  if (latest !== null && stack !== undefined && latest.stack !== stack) {
    return problem(
      `${latest.folder}: an export of ${latest.stack}-api-keys, while others are of ${stack}. ` +
        "Reconcile one set of tables at a time.",
    );
  }
  return answer({ books, keys: latest });
}

/** The time of a full export. */
export function keysMs({ period }: KeysExport): number {
  return period.kind === "full" ? period.atMs : period.toMs;
}
