import { availableParallelism } from "node:os";

/** Works on a list in its order, on as many entries at once as there are processors. */
export async function sideBySide<T extends object>(
  all: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<void> {
  const waiting = [...all];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}
