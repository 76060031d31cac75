import { v7 as uuidv7 } from "uuid";
import type { Site } from "./fault.ts";
import { idOf } from "./image.ts";
import type { TopUp } from "./life.ts";
import { PLANTED } from "./trade.ts";

/** A fault's top-up: a purchase that adds credits, or an adjustment that takes some away. */
export interface Planned {
  readonly credits: number;
  readonly atMs: number;
}

/** Adds a top-up to the life of the fault's account. Its reference is nobody else's. */
export function planTopUp({ life, request }: Site, { credits, atMs }: Planned): TopUp {
  const isPurchase = credits > 0;
  const topUp: TopUp = {
    kind: isPurchase ? "purchase" : "adjustment",
    reference: referenceOf(request.nonce, life.account),
    credits,
    reason: isPurchase ? null : "goodwill",
    refunds: null,
    nonce: request.nonce + PLANTED,
    announcedMs: atMs,
    recordedMs: atMs + 20,
    concludedMs: atMs + 40,
  };
  life.topUps.push(topUp);
  return topUp;
}

function referenceOf(nonce: string, account: string): string {
  return `INV-${nonce}-${account.slice(-8)}`;
}

/** The record's id of the fault's top-up. */
export function purchaseOf({ life, request }: Site): string {
  const reference = referenceOf(request.nonce, life.account);
  const topUp = life.topUps.find((one) => one.reference === reference);
  return topUp === undefined ? "" : idOf(topUp);
}

/** An id of another time, whose other bits are of the given one. */
export function requestIdAt(msecs: number, id: string): string {
  return uuidv7({ msecs, random: Buffer.from(id.replaceAll("-", ""), "hex") });
}
