/** The value at a share of the sorted values, by nearest rank. NaN for no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Rounds to as many decimals as a reader can use. */
export function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
