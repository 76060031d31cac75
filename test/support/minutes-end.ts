/** Longer than a burst takes on a slow machine. */
const BURST_WITHIN_MS = 10_000;

/**
 * Waits out the last seconds of a minute. The limiter counts by the minute, so a burst that spans
 * its end would fall into two windows.
 */
export async function awayFromTheMinutesEnd(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < BURST_WITHIN_MS) await new Promise((wake) => setTimeout(wake, leftMs));
}
