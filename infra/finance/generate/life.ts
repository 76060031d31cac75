import type { Idempotency } from "../../../src/credits/items.ts";

/**
 * What happens on one account: requests and top-ups, with the times of their writes. `image.ts`
 * derives the account's item and its ledger at any time from it.
 */

export interface Request {
  id: string;
  readonly keyId: string;
  service: string;
  outcome: string;
  reserved: number;
  itemCount: number;
  multiplier: number;
  charge: number;
  readonly nonce: string;
  /** The sweep ended it: the record names neither key, service nor multiplier. */
  readonly abandoned: boolean;
  /** Reserve, commit and release, the three writes; milliseconds since 1970. */
  readonly heldMs: number;
  recordedMs: number;
  releasedMs: number;
  readonly expiresMs: number;
  /** Null without Idempotency-Key. */
  idempotency: Idempotency | null;
}

export interface TopUp {
  kind: "grant" | "purchase" | "adjustment";
  readonly reference: string;
  credits: number;
  readonly reason: string | null;
  /** The reference of the purchase that an adjustment refunds. */
  readonly refunds: string | null;
  readonly nonce: string;
  /** The three writes of a top-up. */
  readonly announcedMs: number;
  readonly recordedMs: number;
  readonly concludedMs: number;
}

export interface Life {
  readonly account: string;
  readonly createdMs: number;
  readonly requests: Request[];
  readonly topUps: TopUp[];
}
