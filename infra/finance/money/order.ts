/**
 * The order in which an account's credits are used: those of one class first, in each class the oldest
 * first. What was used before a top-up cannot come from it.
 */

export type Class = "granted" | "purchased";

/** A grant, purchase or adjustment. `usedBefore`: all credits that requests had used before it. */
export interface Moved {
  readonly kind: "grant" | "purchase" | "adjustment";
  readonly reference: string;
  readonly credits: number;
  /** The reference of the purchase that it refunds. */
  readonly refunds: string | null;
  readonly usedBefore: number;
}

/** Credits that one top-up added. */
export interface Lot {
  readonly moved: Moved;
  left: number;
}

export interface Replayed {
  /** What is left of each purchase, by its reference. */
  readonly purchases: ReadonlyMap<string, Lot>;
  /** What each refund found unused of its purchase. The rest of it was taken like an adjustment. */
  readonly own: ReadonlyMap<Moved, number>;
}

/**
 * Follows the movements of an account.
 * @param movements in order of time
 * @param used all credits that requests have used
 */
export function replay(movements: readonly Moved[], used: number, usedFirst: Class): Replayed {
  const stock = createStock(usedFirst);
  const purchases = new Map<string, Lot>();
  const own = new Map<Moved, number>();
  let usedSoFar = 0;
  for (const moved of movements) {
    stock.take(moved.usedBefore - usedSoFar);
    usedSoFar = moved.usedBefore;
    if (moved.credits > 0) {
      const lot = stock.add(moved);
      if (moved.kind === "purchase") purchases.set(moved.reference, lot);
    } else {
      const unused = takeBack(purchases.get(moved.refunds ?? ""), -moved.credits);
      own.set(moved, unused);
      stock.take(-moved.credits - unused);
    }
  }
  stock.take(used - usedSoFar);
  return { purchases, own };
}

/** @returns how many of the credits the purchase had left. */
function takeBack(lot: Lot | undefined, credits: number): number {
  if (lot === undefined) return 0;
  const unused = Math.min(lot.left, credits);
  lot.left -= unused;
  return unused;
}

function createStock(usedFirst: Class) {
  const granted = createQueue();
  const purchased = createQueue();
  const order = usedFirst === "granted" ? [granted, purchased] : [purchased, granted];
  return {
    add: (moved: Moved): Lot => {
      const lot = { moved, left: moved.credits };
      (moved.kind === "purchase" ? purchased : granted).add(lot);
      return lot;
    },
    take: (credits: number): void => {
      let rest = credits;
      for (const queue of order) rest = queue.take(rest);
    },
  };
}

/** Lots of one class, of which the oldest is used first. */
function createQueue() {
  const lots: Lot[] = [];
  let head = 0;
  return {
    add: (lot: Lot) => void lots.push(lot),
    /** @returns what is missing. */
    take: (credits: number): number => {
      let rest = credits;
      for (; rest > 0; head++) {
        const lot = lots[head];
        if (lot === undefined) return rest;
        const taken = Math.min(lot.left, rest);
        lot.left -= taken;
        rest -= taken;
        if (lot.left > 0) return rest;
      }
      return rest;
    },
  };
}
