/** Runs `work` over all entries, at most `concurrency` at once. */
export async function eachAtOnce<T>(
  concurrency: number,
  entries: readonly T[],
  work: (entry: T) => Promise<void>,
): Promise<void> {
  const queue = entries.values();
  const worker = async () => {
    for (const entry of queue) await work(entry);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
