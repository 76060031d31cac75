/** One key's value. */
export interface Entry {
  readonly value: string;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
}

/** Keys and their values. A key whose time has come is gone for whoever looks at it. */
export interface Entries {
  readonly read: (key: string) => Entry | undefined;
  readonly write: (key: string, entry: Entry) => void;
  /** @returns whether there was such a key. */
  readonly remove: (key: string) => boolean;
  readonly keys: () => readonly string[];
  readonly clear: () => void;
}

/** @param now milliseconds since 1970 */
export function createEntries(now: () => number): Entries {
  const entries = new Map<string, Entry>();
  const read = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt === null || entry.expiresAt > now()) return entry;
    entries.delete(key);
    return undefined;
  };
  return {
    read,
    write: (key, entry) => void entries.set(key, entry),
    remove: (key) => read(key) !== undefined && entries.delete(key),
    keys: () => [...entries.keys()].filter((key) => read(key) !== undefined),
    clear: () => entries.clear(),
  };
}
