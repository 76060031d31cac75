import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Item } from "../../../src/store/dynamodb.ts";
import { type Answer, answer, problem } from "../../terminal/answer.ts";
import { EXPORT_ROOT } from "./layout.ts";
import { openExport } from "./write.ts";

/** What a local export reads: every item of a table. */
export interface LocalSource {
  readonly accounts: string;
  readonly ledger: string;
  readonly scan: (table: string) => Promise<Answer<Item[]>>;
  readonly now: () => number;
}

/** Where an export lies. */
export interface Exported {
  readonly exported_at: string;
  readonly folder: string;
  readonly accounts: number;
  readonly ledger: number;
}

const TRIES = 5;

/**
 * Writes both tables below `folder`, as `ExportTableToPointInTime` would.
 *
 * A scan is not a snapshot. So the accounts are read before and after the ledger, and only if they
 * are equal did nothing move in between.
 */
export async function exportLocal(source: LocalSource, folder: string): Promise<Answer<Exported>> {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await source.scan(source.accounts);
    if (!before.ok) return before;
    const atMs = source.now();
    const ledger = await source.scan(source.ledger);
    if (!ledger.ok) return ledger;
    const after = await source.scan(source.accounts);
    if (!after.ok) return after;
    if (sameItems(before.value, after.value)) {
      const [accounts, records] = [before.value, ledger.value];
      await writeBoth(source, folder, { atMs, accounts, records });
      return answer({
        exported_at: new Date(atMs).toISOString(),
        folder: join(folder, EXPORT_ROOT),
        accounts: accounts.length,
        ledger: records.length,
      });
    }
  }
  return problem(
    "Requests are under way, so no two scans agree. Export again when they have ended.",
  );
}

/** Scans return items, and the entries of maps, in any order. */
function sameItems(one: readonly Item[], other: readonly Item[]): boolean {
  const texts = (items: readonly Item[]) => items.map(sortedText).sort().join("\n");
  return texts(one) === texts(other);
}

function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts: [string, unknown][] = Object.entries(value);
  const entries = parts.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, part]) => `${name}:${sortedText(part)}`).join()}}`;
}

interface State {
  readonly atMs: number;
  readonly accounts: readonly Item[];
  readonly records: readonly Item[];
}

async function writeBoth(source: LocalSource, folder: string, state: State): Promise<void> {
  const period = { kind: "full", atMs: state.atMs } as const;
  const tables = [
    [source.accounts, state.accounts],
    [source.ledger, state.records],
  ] as const;
  for (const [table, items] of tables) {
    const exportId = `${String(state.atMs).padStart(14, "0")}-${randomBytes(4).toString("hex")}`;
    const writer = await openExport({ folder, exportId, table, period });
    for (const Item of items) await writer.write(JSON.stringify({ Item }));
    await writer.finish();
  }
}
