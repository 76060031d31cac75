import { toHex } from "../runtime/hex.ts";
import type { Item } from "../store/dynamodb.ts";

/**
 * MACs of ledger records: who has the rights to the tables but not this key can neither write a record
 * nor change one unseen. `schema.md` says what a MAC is made of.
 */

/** A key and its name, which each MAC under it has. */
export interface MacKey {
  readonly id: string;
  /** 32 bytes as 64 hex digits. */
  readonly hex: string;
}

/** `<id>:<64 hex digits>`. */
export const MAC_KEY_FORM = /^([a-z0-9]{1,8}):([0-9a-f]{64})$/;

/** Null for a text of another form. */
export function readMacKey(text: string): MacKey | null {
  const [, id, hex] = MAC_KEY_FORM.exec(text) ?? [];
  return id === undefined || hex === undefined ? null : { id, hex };
}

/** Returns the record with its MAC. */
export type Authenticate = (record: Item) => Promise<Item>;

const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
/** 16 bytes. */
const MAC_DIGITS = 32;

const encoder = new TextEncoder();

/** @param key null where none is configured: records then have no MAC */
export function authenticator(key: MacKey | null): Authenticate {
  if (key === null) return async (record) => record;
  let imported: ReturnType<typeof importKey> | undefined;
  return async (record) => {
    imported ??= importKey(key);
    const text = encoder.encode(canonicalText(record));
    const digest = toHex(await crypto.subtle.sign(HMAC.name, await imported, text));
    return { ...record, mac: { S: macOf(key, digest) } };
  };
}

/** @param digest the HMAC in hex */
export function macOf({ id }: MacKey, digest: string): string {
  return `${id}:${digest.slice(0, MAC_DIGITS)}`;
}

/**
 * What a record's MAC is of: each attribute but `mac` and those that are null, in the order of their
 * names, as name, type, number of bytes and value. The number of bytes leaves no two readings.
 * @throws Error for a type that no ledger record has
 */
export function canonicalText(record: Item): string {
  let text = "ledger record 1\n";
  for (const name of Object.keys(record).toSorted()) {
    const value = record[name];
    if (name === "mac" || value === undefined || value.NULL === true) continue;
    const content = value.S ?? value.N;
    if (content === undefined) throw new Error(`no ledger record has such a ${name}`);
    const type = value.S === undefined ? "N" : "S";
    text += `${name} ${type} ${bytesIn(content)}\n${content}\n`;
  }
  return text;
}

function bytesIn(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return encoder.encode(text).length;
  }
  return text.length;
}

function importKey({ hex }: MacKey) {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  return crypto.subtle.importKey("raw", bytes, HMAC, false, ["sign"]);
}
