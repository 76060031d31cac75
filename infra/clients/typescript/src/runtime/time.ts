/** The reason of a signal that was aborted because the time was over. */
class TimeOver extends Error {}

export type Timed<T> =
  | { readonly ended: true; readonly value: T }
  | { readonly ended: false; readonly isTimeOver: boolean; readonly cause: unknown };

/**
 * Does work that must end in time, also when it does not listen to its signal.
 * @throws the reason of `signal` when the caller gave up
 */
export async function within<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Timed<T>> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const giveUp = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", giveUp, { once: true });
  const timer = setTimeout(() => controller.abort(new TimeOver()), limitMs);
  try {
    const value = await Promise.race([work(controller.signal), rejection(controller.signal)]);
    return { ended: true, value };
  } catch (cause) {
    signal?.throwIfAborted();
    return { ended: false, isTimeOver: controller.signal.reason instanceof TimeOver, cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** @throws the reason of `signal` when the caller gave up */
export async function sleep(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  await within(waitMs, signal, () => new Promise<never>(() => undefined));
}
