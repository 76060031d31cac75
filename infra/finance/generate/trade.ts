import { CLOSING_MS } from "./calendar.ts";
import type { Life, Request, TopUp } from "./life.ts";
import type { Random } from "./random.ts";

/** Purchases and refunds of invented accounts. */

/** A top-up before its writes have their times. */
export type Movement = Pick<TopUp, "kind" | "reference" | "credits" | "announcedMs"> &
  Partial<Pick<TopUp, "reason" | "refunds">>;

/** Credits are sold by so many. */
const PACK = 500;
const PURCHASES_MAX = 4;
const REFUNDED = 0.08;
const HOUR_MS = 3_600_000;
/** More than what grants and other adjustments add to a balance or take from it. */
const SPARE = 100;

/** How the nonce of a top-up ends that is planted for a fault. */
export const PLANTED = "-planted";

export const inventInvoice = (random: Random) => `INV-${random.hex(16)}`;

/** Up to four purchases, each made before the balance could get too low for a request. */
export function inventPurchases(
  random: Random,
  requests: readonly Request[],
  soonMs: number,
): Movement[] {
  const needed = requests.reduce((sum, one) => sum + mostOf(one), 0);
  const credits = Math.ceil((needed + 1) / random.between(1, PURCHASES_MAX) / PACK) * PACK;
  const bought = (announcedMs: number): Movement => ({
    kind: "purchase",
    reference: inventInvoice(random),
    credits,
    announcedMs,
  });
  const purchases = [bought(soonMs)];
  let reserved = 0;
  for (const request of requests.toSorted((a, b) => a.heldMs - b.heldMs)) {
    reserved += mostOf(request);
    if (reserved < purchases.length * credits) continue;
    purchases.push(bought(Math.max(soonMs, request.heldMs - random.between(1_000, 50_000))));
  }
  return purchases;
}

/** What a request takes from the balance at most. A planted fault may charge more than it reserved. */
function mostOf({ charge, reserved }: Request): number {
  return Math.max(charge, reserved);
}

/**
 * Sometimes, when all requests have ended, takes back what is unused of the last purchase, or notes the
 * chargeback of the first one, of which nothing is left.
 */
export function inventRefund(random: Random, { requests, topUps }: Life): Movement | null {
  if (!random.chance(REFUNDED)) return null;
  const endedMs = Math.max(...requests.map(({ releasedMs }) => releasedMs)) + HOUR_MS;
  if (endedMs >= CLOSING_MS) return null;
  const announcedMs = random.between(endedMs, CLOSING_MS - 1_000);
  // A purchase that is planted for a fault may be gone in the end.
  const purchases = topUps.filter(
    ({ kind, nonce }) => kind === "purchase" && !nonce.endsWith(PLANTED),
  );
  const [first, last] = [purchases[0], purchases.at(-1)];
  if (first === undefined || last === undefined) return null;
  const refund = { kind: "adjustment", reference: `REF-${random.hex(16)}`, announcedMs } as const;
  const unused =
    purchases.reduce((sum, { credits }) => sum + credits, 0) -
    requests.reduce((sum, { charge }) => sum + charge, 0);
  const taken = Math.min(last.credits, unused - SPARE);
  if (taken > 0 && random.chance(0.8)) {
    const reason = random.pick(["refund", "chargeback"]);
    return { ...refund, credits: -taken, reason, refunds: last.reference };
  }
  return { ...refund, credits: 0, reason: "chargeback", refunds: first.reference };
}
