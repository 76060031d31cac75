import { describeThrown } from "../log/scrub.ts";
import { eachAtOnce } from "../runtime/each-at-once.ts";
import type { Usage } from "./items.ts";
import type { Hold, Ledger } from "./ledger.ts";
import { HEAL_RELEASE_ATTEMPTS, SWEEP_CONCURRENCY } from "./limits.ts";
import { commit, release } from "./settle.ts";

/** Ends expired holds, a few at once. Returns how many are known to be gone. */
export async function healAll(ledger: Ledger, expired: readonly Hold[]): Promise<number> {
  let healed = 0;
  await eachAtOnce(SWEEP_CONCURRENCY, expired, async (hold) => {
    if (await heal(ledger, hold)) healed++;
  });
  return healed;
}

/**
 * Ends one expired hold. If the ledger has a record that names this hold, its charge stands;
 * otherwise the charge is 0.
 */
async function heal(ledger: Ledger, hold: Hold): Promise<boolean> {
  const { account, requestId } = hold;
  const line = { event: "hold_swept", request_id: requestId, account };
  try {
    const decided = await commit(ledger, abandoned(ledger, hold));
    if (decided === null) return false;
    const gone = await release(ledger, hold, decided.charge, HEAL_RELEASE_ATTEMPTS);
    ledger.log({ ...line, gone, charge: decided.charge });
    return gone;
  } catch (error) {
    ledger.log({ ...line, alarm: true, gone: false, cause: describeThrown(error) });
    return false;
  }
}

function abandoned(ledger: Ledger, hold: Hold): Usage {
  return {
    account: hold.account,
    requestId: hold.requestId,
    keyId: null,
    service: null,
    outcome: "ABANDONED",
    reserved: hold.credits,
    itemCount: 0,
    multiplier: null,
    charge: 0,
    nonce: hold.nonce,
    settledBy: "sweep",
    settledAtMs: ledger.now(),
  };
}
