/** Numbers that look random and repeat for the same seed. */
export interface Random {
  /** At least 0, below 1. */
  readonly next: () => number;
  /** A whole number from `least` to `most`, both included. */
  readonly between: (least: number, most: number) => number;
  readonly chance: (probability: number) => boolean;
  /** @throws Error if there is nothing to choose from. */
  readonly pick: <T>(choices: readonly T[]) => T;
  /** A string of this many hex digits. */
  readonly hex: (digits: number) => string;
}

const WORD = 2 ** 32;

/** Rounds that mix the seeds into the state before the first number. */
const WARM_UP_ROUNDS = 12;

/**
 * Chris Doty-Humphrey's sfc32: 128 bits of state, the same everywhere.
 * @param seed a whole number of at most 53 bits
 * @param stream tells apart the streams of one seed
 */
export function createRandom(seed: number, stream = 0): Random {
  let a = seed;
  let b = stream;
  let c = 0x9e3779b9 ^ Math.floor(a / WORD);
  let counter = 1;
  const word = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round++) word();
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
  const chance = (probability: number) => next() < probability;
  return { next, between, chance, pick, hex };
}
