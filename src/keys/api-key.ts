import { toHex } from "../runtime/hex.ts";

/** Format of an API key: prefix, 32 random bytes in base62, checksum of those 43 characters. */
const PREFIX = "svc_live_";
const SECRET_BYTES = 32;
/** 62^43 > 2^256. */
const SECRET_CHARACTERS = 43;
/** 62^6 > 2^32. */
const CHECKSUM_CHARACTERS = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_CHARACTERS}})([0-9A-Za-z]{6})$`);

/** A key's name in logs and tables: 96 bits of its hash, which reveal nothing of the key. */
const KEY_ID_HEX_CHARACTERS = 24;

/** @param secret 32 random bytes. */
export function formatApiKey(secret: Uint8Array): string {
  if (secret.length !== SECRET_BYTES) throw new Error("a key needs 32 random bytes");
  let number = 0n;
  for (const byte of secret) number = (number << 8n) | BigInt(byte);
  const body = toBase62(number, SECRET_CHARACTERS);
  return `${PREFIX}${body}${checksum(body)}`;
}

/** Tells a mistyped key from a possible one, without any I/O. */
export function isApiKeyShaped(key: string): boolean {
  const match = SHAPE.exec(key);
  return match?.[1] !== undefined && checksum(match[1]) === match[2];
}

/** What we store of a key: its SHA-256 in hex, and the id that names it everywhere. */
export interface Fingerprint {
  readonly keyId: string;
  readonly keyHash: string;
}

export async function fingerprint(key: string): Promise<Fingerprint> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  const keyHash = toHex(digest);
  return { keyId: `key_${keyHash.slice(0, KEY_ID_HEX_CHARACTERS)}`, keyHash };
}

function checksum(body: string): string {
  let digits = "";
  for (let rest = crc32(body); digits.length < CHECKSUM_CHARACTERS; rest = Math.floor(rest / 62)) {
    digits = ALPHABET.charAt(rest % 62) + digits;
  }
  return digits;
}

function toBase62(number: bigint, length: number): string {
  let digits = "";
  for (let rest = number; digits.length < length; rest /= 62n) {
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  }
  return digits;
}

/** CRC-32 (ISO 3309, reflected polynomial) of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
