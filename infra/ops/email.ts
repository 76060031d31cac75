import { createHash } from "node:crypto";

/** Domains of one provider, and its main one: the same name is the same mailbox on each. */
const SAME_PROVIDER: Readonly<Record<string, string>> = {
  "googlemail.com": "gmail.com",
  "mac.com": "icloud.com",
  "me.com": "icloud.com",
  "pm.me": "proton.me",
  "protonmail.com": "proton.me",
};

/** Providers that ignore dots in the name (their help pages, 2026-11). */
const IGNORES_DOTS: readonly string[] = ["gmail.com", "proton.me"];

/**
 * One text for every spelling of a mailbox: without blanks around it, in lower case, without the tag
 * behind a plus sign, without the dots that a provider ignores, at the provider's main domain.
 *
 * It errs on the side of one account: where a domain takes `a+b` for a mailbox of its own, its holder
 * needs another address. The account keeps the address as it was given.
 */
export function mailboxOf(email: string): string {
  const text = email.normalize("NFC").trim().toLowerCase();
  const at = text.lastIndexOf("@");
  const given = text.slice(at + 1);
  const domain = SAME_PROVIDER[given] ?? given;
  const untagged = text.slice(0, at).replace(/(?<=.)\+.*$/, "");
  const name = IGNORES_DOTS.includes(domain) ? untagged.replaceAll(".", "") : untagged;
  return `${name}@${domain}`;
}

/** The name under which a mailbox is claimed; the address itself is not in it. */
export function emailClaim(email: string): string {
  return `email#${createHash("sha256").update(mailboxOf(email)).digest("hex")}`;
}
