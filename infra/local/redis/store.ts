import { type Command, RedisError, type Reply } from "./command.ts";
import { createEntries, type Entries } from "./entries.ts";

/** Runs one command at once. Throws `RedisError`. */
export type Store = (command: Command) => Reply;

/** What the commands work on. */
interface Memory {
  readonly entries: Entries;
  readonly now: () => number;
}

/** The commands of Redis that `@upstash/ratelimit`'s window limiters use, on strings in memory. */
export function createStore(now: () => number): Store {
  const memory: Memory = { entries: createEntries(now), now };
  return ([name = "", ...args]) => {
    const command = COMMANDS[name.toUpperCase()];
    if (command === undefined) throw new RedisError(`ERR unknown command '${name}'`);
    return command(memory, args);
  };
}

const COMMANDS: Readonly<Record<string, (memory: Memory, args: Command) => Reply>> = {
  PING: (_, [message = "PONG"]) => message,
  GET: ({ entries }, [key = ""]) => entries.read(key)?.value ?? null,
  SET: (memory, [key = "", value = "", ...options]) => set(memory, { key, value, options }),
  DEL: ({ entries }, keys) => keys.filter((key) => entries.remove(key)).length,
  EXISTS: ({ entries }, keys) => keys.filter((key) => entries.read(key) !== undefined).length,
  INCR: ({ entries }, [key = ""]) => add(entries, key, 1),
  INCRBY: ({ entries }, [key = "", by = ""]) => add(entries, key, integer(by)),
  EXPIRE: (memory, [key = "", seconds = ""]) => expire(memory, key, integer(seconds) * 1000),
  PEXPIRE: (memory, [key = "", ms = ""]) => expire(memory, key, integer(ms)),
  TTL: (memory, [key = ""]) => {
    const left = leftMs(memory, key);
    return left < 0 ? left : Math.ceil(left / 1000);
  },
  PTTL: (memory, [key = ""]) => leftMs(memory, key),
  SCAN: ({ entries }, [, ...options]) => scan(entries, options),
  FLUSHALL: ({ entries }) => {
    entries.clear();
    return "OK";
  },
};

function add(entries: Entries, key: string, by: number): number {
  const entry = entries.read(key);
  const value = integer(entry?.value ?? "0") + by;
  if (!Number.isSafeInteger(value)) throw new RedisError("ERR increment would overflow");
  entries.write(key, { value: String(value), expiresAt: entry?.expiresAt ?? null });
  return value;
}

function expire({ entries, now }: Memory, key: string, afterMs: number): number {
  const entry = entries.read(key);
  if (entry === undefined) return 0;
  if (afterMs <= 0) entries.remove(key);
  else entries.write(key, { ...entry, expiresAt: now() + afterMs });
  return 1;
}

/** -2 if there is no such key, -1 if it never expires. */
function leftMs({ entries, now }: Memory, key: string): number {
  const entry = entries.read(key);
  if (entry === undefined) return -2;
  return entry.expiresAt === null ? -1 : entry.expiresAt - now();
}

interface Setting {
  readonly key: string;
  readonly value: string;
  readonly options: readonly string[];
}

function set({ entries, now }: Memory, { key, value, options }: Setting): Reply {
  const wanted = setOptions(options);
  const exists = entries.read(key) !== undefined;
  if (wanted.onlyIf !== null && (wanted.onlyIf === "XX") !== exists) return null;
  const expiresAt = wanted.expireMs === null ? null : now() + wanted.expireMs;
  entries.write(key, { value, expiresAt });
  return "OK";
}

function scan(entries: Entries, options: readonly string[]): Reply {
  const at = options.findIndex((option) => option.toUpperCase() === "MATCH");
  const isWanted = glob(at === -1 ? "*" : (options[at + 1] ?? "*"));
  return ["0", entries.keys().filter(isWanted)];
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
    switch (option) {
      case "EX":
        expireMs = integer(left.shift() ?? "") * 1000;
        break;
      case "PX":
        expireMs = integer(left.shift() ?? "");
        break;
      case "NX":
      case "XX":
        onlyIf = option;
        break;
      default:
        throw new RedisError("ERR syntax error");
    }
  }
  return { expireMs, onlyIf };
}

/** `*` and `?` of Redis' key patterns. All other characters are literal. */
function glob(pattern: string): (key: string) => boolean {
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, (character) => {
    if (character === "*") return ".*";
    return character === "?" ? "." : `\\${character}`;
  });
  const expression = new RegExp(`^${source}$`, "s");
  return (key) => expression.test(key);
}
