import type { WriteStream } from "node:tty";
import type { OnProgress, Phase } from "./prove/reconcile.ts";

const WORDS: Readonly<Record<Phase, string>> = {
  verifying: "Verifying checksums",
  reading: "Reading records   ",
  checking: "Checking credits  ",
  valuing: "Valuing credits   ",
  writing: "Writing results   ",
};
const WIDTH = 30;
const REDRAW_EVERY_MS = 100;

export interface Progress {
  readonly show: OnProgress;
  /** Removes the bar from the screen. */
  readonly end: () => void;
}

/** A progress bar on a terminal. Elsewhere one line for each phase that begins. */
export function createProgress(out: WriteStream, now: () => number): Progress {
  const startedMs = now();
  let phase: Phase | null = null;
  let drawnMs = 0;

  const bar: OnProgress = (next, done, total) => {
    const isDue = next !== phase || done >= total || now() - drawnMs >= REDRAW_EVERY_MS;
    if (!isDue) return;
    phase = next;
    drawnMs = now();
    const seconds = Math.round((drawnMs - startedMs) / 1000);
    out.write(`\r\x1b[K${WORDS[next]} ${barOf(done / Math.max(total, 1))}  ${seconds} s`);
  };
  const lines: OnProgress = (next) => {
    if (next === phase) return;
    phase = next;
    out.write(`${WORDS[next].trim()}\n`);
  };
  const end = () => void (out.isTTY && phase !== null && out.write("\r\x1b[K"));
  return { show: out.isTTY ? bar : lines, end };
}

function barOf(share: number): string {
  const full = Math.round(Math.min(share, 1) * WIDTH);
  const percent = String(Math.floor(Math.min(share, 1) * 100)).padStart(3);
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent} %`;
}
