import type { Command, Reply } from "./redis.ts";

/** An error that Redis answers, in its own words. */
export class RedisError extends Error {}

interface Entry {
  readonly value: string;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
}

/** Runs one command at once; throws `RedisError`. */
export type Store = (command: Command) => Reply;

/**
 * The commands of Redis that `@upstash/ratelimit`'s window limiters use, on strings in memory. A key
 * whose time has come is gone for every command that looks at it.
 */
export function createStore(now: () => number): Store {
  const entries = new Map<string, Entry>();

  function read(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined || entry.expiresAt === null || entry.expiresAt > now()) return entry;
    entries.delete(key);
    return undefined;
  }

  function add(key: string, by: number): number {
    const entry = read(key);
    const value = integer(entry?.value ?? "0") + by;
    if (!Number.isSafeInteger(value)) throw new RedisError("ERR increment would overflow");
    entries.set(key, { value: String(value), expiresAt: entry?.expiresAt ?? null });
    return value;
  }

  function expire(key: string, afterMs: number): number {
    const entry = read(key);
    if (entry === undefined) return 0;
    if (afterMs <= 0) entries.delete(key);
    else entries.set(key, { ...entry, expiresAt: now() + afterMs });
    return 1;
  }

  /** -2 for no such key, -1 for one that never expires. */
  function leftMs(key: string): number {
    const entry = read(key);
    if (entry === undefined) return -2;
    return entry.expiresAt === null ? -1 : entry.expiresAt - now();
  }

  function set(key: string, value: string, options: readonly string[]): Reply {
    const wanted = setOptions(options);
    const exists = read(key) !== undefined;
    if (wanted.onlyIf !== null && (wanted.onlyIf === "XX") !== exists) return null;
    const expiresAt = wanted.expireMs === null ? null : now() + wanted.expireMs;
    entries.set(key, { value, expiresAt });
    return "OK";
  }

  function scan(options: readonly string[]): Reply {
    const at = options.findIndex((option) => option.toUpperCase() === "MATCH");
    const isWanted = glob(at === -1 ? "*" : (options[at + 1] ?? "*"));
    const keys = [...entries.keys()].filter((key) => isWanted(key) && read(key) !== undefined);
    return ["0", keys];
  }

  const commands: Readonly<Record<string, (args: Command) => Reply>> = {
    PING: ([message = "PONG"]) => message,
    GET: ([key = ""]) => read(key)?.value ?? null,
    SET: ([key = "", value = "", ...options]) => set(key, value, options),
    DEL: (keys) =>
      keys.filter((key) => read(key) !== undefined).filter((key) => entries.delete(key)).length,
    EXISTS: (keys) => keys.filter((key) => read(key) !== undefined).length,
    INCR: ([key = ""]) => add(key, 1),
    INCRBY: ([key = "", by = ""]) => add(key, integer(by)),
    EXPIRE: ([key = "", seconds = ""]) => expire(key, integer(seconds) * 1000),
    PEXPIRE: ([key = "", ms = ""]) => expire(key, integer(ms)),
    TTL: ([key = ""]) => Math.ceil(leftMs(key) / (leftMs(key) < 0 ? 1 : 1000)),
    PTTL: ([key = ""]) => leftMs(key),
    SCAN: ([, ...options]) => scan(options),
    FLUSHALL: () => {
      entries.clear();
      return "OK";
    },
  };

  return ([name = "", ...args]) => {
    const command = commands[name.toUpperCase()];
    if (command === undefined) throw new RedisError(`ERR unknown command '${name}'`);
    return command(args);
  };
}

function integer(text: string): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new RedisError("ERR value is not an integer or out of range");
}

function setOptions(options: readonly string[]) {
  let expireMs: number | null = null;
  let onlyIf: "NX" | "XX" | null = null;
  const left = options.map((option) => option.toUpperCase());
  for (let option = left.shift(); option !== undefined; option = left.shift()) {
    if (option === "EX") expireMs = integer(left.shift() ?? "") * 1000;
    else if (option === "PX") expireMs = integer(left.shift() ?? "");
    else if (option === "NX" || option === "XX") onlyIf = option;
    else throw new RedisError("ERR syntax error");
  }
  return { expireMs, onlyIf };
}

/** `*` and `?` of Redis' key patterns; every other character stands for itself. */
function glob(pattern: string): (key: string) => boolean {
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, (character) => {
    if (character === "*") return ".*";
    return character === "?" ? "." : `\\${character}`;
  });
  const expression = new RegExp(`^${source}$`, "s");
  return (key) => expression.test(key);
}
