import { InvalidArgumentError } from "@commander-js/extra-typings";

/** Readers of option values that several commands take; each refuses what it cannot use. */

/** An http or https URL. */
export function readUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError("It is no http or https URL.");
  }
  return text;
}

/** Variables of the worker by name. */
export type Variables = Readonly<Record<string, string>>;

/** For a repeatable option: NAME:VALUE; the value is everything after the first colon. */
export function readVariable(text: string, before: Variables = {}): Variables {
  const parts = /^([A-Za-z_]\w*):(.*)$/s.exec(text);
  if (parts === null) throw new InvalidArgumentError("It has not the form NAME:VALUE.");
  const [, name = "", value = ""] = parts;
  return { ...before, [name]: value };
}

/** A whole number of at most 15 digits, which a double holds exactly; 0 too. */
export function readWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new InvalidArgumentError("A whole number of at most 15 digits.");
  }
  return Number(text);
}
