/** The longest address that goes out, in characters. */
export const ADDRESS_CHARACTERS_MAX = 4_096;

/** An address from outside. Null for a text that is none, or that is too long to go out. */
export function parseAddress(text: string | null | undefined): URL | null {
  const address = text ?? "";
  return address.length > ADDRESS_CHARACTERS_MAX ? null : URL.parse(address);
}
