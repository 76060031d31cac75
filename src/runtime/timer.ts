/** Calls `ring` once, after the delay. Returns a function that cancels it. */
export type Timer = (delayMs: number, ring: () => void) => () => void;

/** The runtime's own timer. */
export const timer: Timer = (delayMs, ring) => {
  const pending = setTimeout(ring, delayMs);
  return () => clearTimeout(pending);
};
