/** Takes items only as it needs them, from any list or stream. */
export type Items<T> = Iterable<T> | AsyncIterable<T>;

interface Slot<R> {
  readonly slot: number;
  /** Null: there was no item left. */
  readonly result: { readonly value: R } | null;
}

/**
 * Does work for each item, so many at a time, and yields the results as they come. No more items are
 * taken while the consumer holds results back. When the consumer stops, no further item is taken.
 */
export async function* each<T, R>(
  items: Items<T>,
  concurrency: number,
  work: (item: T, index: number) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const iterator = iteratorOf(items);
  const slots = new Map<number, Promise<Slot<R>>>();
  let taken = 0;
  const fill = async (slot: number): Promise<Slot<R>> => {
    const next = await iterator.next();
    if (next.done === true) return { slot, result: null };
    return { slot, result: { value: await work(next.value, taken++) } };
  };
  const start = (slot: number) => {
    const filled = fill(slot);
    // A slot that fails while the consumer is away must not end the process.
    filled.catch(() => undefined);
    slots.set(slot, filled);
  };
  for (let slot = 0; slot < concurrency; slot++) start(slot);
  try {
    while (slots.size > 0) {
      const { slot, result } = await Promise.race(slots.values());
      slots.delete(slot);
      if (result === null) continue;
      yield result.value;
      start(slot);
    }
  } finally {
    // Not awaited: a stream that is silent would keep the consumer here.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function iteratorOf<T>(items: Items<T>): Iterator<T> | AsyncIterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
