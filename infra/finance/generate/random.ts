/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** At least 0, below 1. */
  readonly next: () => number;
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number;
  /** @throws Error when there is no choice. */
  readonly pick: <T>(choices: readonly T[]) => T;
  /** So many hex digits. */
  readonly hex: (digits: number) => string;
}

const WORD = 2 ** 32;

/** Mulberry32: a counter, mixed. Two seeds that differ in one bit give unrelated numbers. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const word = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const next = () => word() / WORD;
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const hex = (digits: number) => {
    let text = "";
    while (text.length < digits) text += word().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  };
  const pick = <T>(choices: readonly T[]): T => {
    for (const choice of choices.slice(between(0, choices.length - 1))) return choice;
    throw new Error("nothing to pick from");
  };
  return { next, between, pick, hex };
}
