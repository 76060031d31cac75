/** Chance that one seed decides. */
export interface Random {
  /** From 0 up to, not including, 1. */
  readonly next: () => number;
  /** A whole number of both bounds and all between. */
  readonly between: (least: number, most: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(choices: readonly [T, ...T[]]) => T;
}

/** Mulberry32: 32 bits of state are plenty for one run, and it is the same everywhere. */
export function createRandom(seed: number): Random {
  const above32Bits = Math.imul(Math.floor(seed / 2 ** 32), 0xc2b2ae3d);
  let state = Math.imul(seed, 0x9e3779b1) ^ above32Bits ^ 0x85ebca6b;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
  };
}
