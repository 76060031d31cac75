import { openIsolateCount } from "../limiter/isolate-count.ts";
import { LIMIT_REQUESTS } from "../limiter/limiter.ts";
import { forgetOldest } from "../runtime/forget-oldest.ts";
import type { KeyLookup } from "./lookup.ts";

/**
 * How long a key that is in no table is refused without a read. A key that is used before it exists
 * may so take this long to work; `key create` says it.
 */
export const UNKNOWN_KEY_MEMORY_MS = 5_000;

const UNKNOWN_KEYS_MAX = 10_000;
const GOOD_KEYS_MAX = 5_000;

/**
 * What an isolate remembers of a key. `good`: it was active at its latest request, which decides the
 * order of the calls, and no more. `refused`: nobody needs to be asked. `new`: neither.
 */
export type Standing = "good" | "refused" | "new";

export interface KeyMemory {
  readonly standing: (keyId: string) => Standing;
  /** When a good key ends, in milliseconds since 1970, by its latest look-up; else null. */
  readonly endOf: (keyId: string) => number | null;
  readonly learn: (keyId: string, lookup: KeyLookup) => void;
}

/** Bounded: of each kind the longest unused key is forgotten first. */
export function openKeyMemory(now: () => number): KeyMemory {
  const unknown = new Map<string, number>();
  /** With their ends. */
  const good = new Map<string, number | null>();
  /** Of keys that exist and are refused: one may be activated at any moment, so each is read. */
  const refusals = openIsolateCount(now, LIMIT_REQUESTS);
  return {
    standing: (keyId) => {
      if (good.has(keyId)) return "good";
      const isUnknown = (unknown.get(keyId) ?? 0) > now();
      return isUnknown || refusals.isSpent(keyId) ? "refused" : "new";
    },
    endOf: (keyId) => good.get(keyId) ?? null,
    learn: (keyId, lookup) => {
      const { outcome } = lookup;
      if (outcome === "undecided") return;
      good.delete(keyId);
      if (outcome === "active") good.set(keyId, lookup.key.expiresMs);
      else if (outcome === "refused") refusals.count(keyId);
      else unknown.set(keyId, now() + UNKNOWN_KEY_MEMORY_MS);
      forgetOldest(good, GOOD_KEYS_MAX);
      forgetOldest(unknown, UNKNOWN_KEYS_MAX);
    },
  };
}
