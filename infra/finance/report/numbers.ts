const WHOLE = new Intl.NumberFormat("en-US");

/** `2026-10` as `October 2026`. */
export function monthName(month: string): string {
  const name = new Intl.DateTimeFormat("en-US", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return name.format(new Date(`${month}-01T00:00:00Z`));
}

/** A number for people: `1,234,567`. */
export function whole(value: number): string {
  return WHOLE.format(value);
}
