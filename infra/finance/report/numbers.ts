const WHOLE = new Intl.NumberFormat("en-US");

/** A number for people: `1,234,567`. */
export function whole(value: number): string {
  return WHOLE.format(value);
}
