import { InvalidArgumentError } from "@commander-js/extra-typings";
import * as z from "zod";

/** Readers of option values. Each refuses a wrong value and says the rule. */

/** RFC 5321 allows no longer address. */
const EMAIL_LIMIT_CHARACTERS = 254;

export function email(text: string): string {
  if (text.length > EMAIL_LIMIT_CHARACTERS || !z.email().safeParse(text).success) {
    throw new InvalidArgumentError("Not an email address of at most 254 ASCII characters.");
  }
  return text;
}

/** Of an account or a key. */
export function id(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text)) throw new InvalidArgumentError("Not an id such as acct_1a2b3c.");
  return text;
}

/**
 * Text for people, in one line. Control characters could forge lines in a terminal, and characters
 * that turn the direction of writing could hide some: both are refused.
 */
export function plainText(limitCharacters: number): (text: string) => string {
  return (text) => {
    if ([...text].length > limitCharacters || /[\p{C}\p{Zl}\p{Zp}]/u.test(text)) {
      throw new InvalidArgumentError(
        `At most ${limitCharacters} characters, and no control characters or line breaks.`,
      );
    }
    return text;
  };
}

/** Who gives a command: a name or an address, for the ledger. */
export function person(text: string): string {
  if (text.trim() === "") throw new InvalidArgumentError("A name.");
  return plainText(64)(text);
}

export function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError("A whole number from 1 to 999999999.");
  }
  return Number(text);
}

/** For adjustments: a whole number with a sign, not 0. */
export function signed(text: string): number {
  if (!/^[+-]?[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError("A whole number from -999999999 to 999999999, not 0.");
  }
  return Number(text);
}

export function reference(text: string): string {
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) {
    throw new InvalidArgumentError("1 to 64 visible ASCII characters.");
  }
  return text;
}

/** An ISO 8601 date or time. A date alone means its start in UTC. */
export function time(text: string): Date {
  const date = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError("A date such as 2026-10-31 or 2026-10-31T12:00:00Z.");
  }
  return date;
}

/** A month in UTC. */
export function month(text: string): string {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(text)) {
    throw new InvalidArgumentError("A month such as 2026-10.");
  }
  return text;
}

export function requestId(text: string): string {
  if (!z.uuidv7().safeParse(text).success) throw new InvalidArgumentError("A UUIDv7.");
  return text.toLowerCase();
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const GRACE_MAX_DAYS = 90;

/** How long a rotated key goes on working, in milliseconds. */
export function grace(text: string): number {
  const found = /^(?:0|([1-9]\d{0,6})([smhd]))$/.exec(text);
  const [, count = "0", unit = "s"] = found ?? [];
  const seconds = Number(count) * (UNIT_SECONDS[unit] ?? 0);
  if (found === null || seconds > GRACE_MAX_DAYS * 86_400) {
    throw new InvalidArgumentError(
      `0, or a number with s, m, h or d, such as 90s, 30m, 24h or 7d; at most ${GRACE_MAX_DAYS}d.`,
    );
  }
  return seconds * 1000;
}
