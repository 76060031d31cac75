/** The reported period: a calendar month (UTC), or everything if `month` is null. */
export interface Period {
  readonly month: string | null;
  readonly fromMs: number;
  /** The last millisecond that belongs to it. */
  readonly lastMs: number;
}

/** @param month `YYYY-MM`, or null for everything. */
export function periodOf(month: string | null): Period {
  if (month === null) return { month, fromMs: 0, lastMs: Date.UTC(9999, 0) };
  const [year = 0, number = 0] = month.split("-").map(Number);
  return {
    month,
    fromMs: Date.UTC(year, number - 1),
    lastMs: Date.UTC(year, number) - 1,
  };
}

/** A time for people: `2026-11-01 00:10:00 UTC`. */
export function utc(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
