/** The value below which a share of the values lies, by nearest rank; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** To as many decimals as a reader can use. */
export function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}
