import { describe, expect, it } from "vitest";
import { explore } from "./explore.ts";
import type { Options, State } from "./state.ts";

const SMALL = {
  requests: 1,
  sweeps: 2,
  rounds: 1,
  operators: 0,
  attempts: 2,
  available: 3,
} as const satisfies Options;

/** An isolate whose lease serves two requests, one after the other or side by side. */
const LEASE = {
  requests: 0,
  sweeps: 1,
  rounds: 1,
  operators: 0,
  isolates: 1,
  attempts: 1,
  available: 3,
} as const satisfies Options;

describe("no reachable state breaks an invariant with", () => {
  it.each<[string, Options]>([
    ["a request and two sweeps", SMALL],
    ["a request, two sweeps and a top-up", { ...SMALL, operators: 1 }],
    [
      "two requests for credits that suffice for one, and a sweep",
      { ...SMALL, requests: 2, sweeps: 1 },
    ],
    [
      "two requests and the top-up that pays for the second",
      { ...SMALL, requests: 2, sweeps: 0, operators: 1 },
    ],
    ["two operators on one reference", { ...SMALL, requests: 0, sweeps: 0, operators: 2 }],
    [
      "two requests under one Idempotency-Key, and a sweep",
      { ...SMALL, requests: 2, sweeps: 1, isKeyed: true },
    ],
    [
      "a request that tries everything three times, and a sweep",
      { ...SMALL, sweeps: 1, attempts: 3 },
    ],
    ["a lease and a sweep, each write sent twice", { ...LEASE, attempts: 2, available: 6 }],
    ["a lease and two sweeps", { ...LEASE, sweeps: 2 }],
    ["a lease, a request with its own hold, and a sweep", { ...LEASE, requests: 1, available: 5 }],
    ["a lease on an account that is suspended", { ...LEASE, sweeps: 2, isSuspended: true }],
  ])(
    "%s",
    (name, options) => {
      const { states, violation } = explore(options);
      console.log(`${states} states: ${name}`);
      expect(violation).toBeNull();
      expect(states).toBeGreaterThan(1_000);
    },
    60_000,
  );
});

/** More is charged than the ledger says. */
function chargedTwice({ account, records }: State): string | null {
  const charges = records.reduce((sum, record) => sum + (record?.charge ?? 0), 0);
  return account.charged > charges ? `charged ${account.charged} for ${charges}` : null;
}

describe("the model finds", () => {
  it("the double charge of a protocol without the nonce, and none with it", () => {
    const dropped = explore({ ...SMALL, without: "nonce" }, chargedTwice);
    expect(dropped.violation).toMatchObject({ broken: "charged 2 for 1" });
    expect(explore(SMALL, chargedTwice).violation).toBeNull();
  });

  it.each([
    ["nonce", "charged is 1, the ledger says 0"],
    ["record's condition", "request 0 was told 1"],
    ["release's condition", "held is -2 with 0 holds"],
    ["record before release", "charged is 1, the ledger says 0"],
  ] as const)("what breaks without the %s", (without, broken) => {
    expect(explore({ ...SMALL, without }).violation).toMatchObject({ broken });
  });

  it.each([
    ["no slot after the close", 1],
    ["close of known outcomes", 1],
    ["void of every slot", 1],
  ] as const)("the lost charge of leases without the rule: %s", (without, lost) => {
    const leases = { ...LEASE, attempts: 2, available: 6, without } as const;
    const broken = `charged is 0, the ledger says ${lost}`;
    expect(explore(leases).violation).toMatchObject({ broken });
  });

  it("the second charge of two requests under one key whose ids do not follow from the records", () => {
    const keyed = { ...SMALL, requests: 2, sweeps: 0, isKeyed: true, available: 4 } as const;
    const broken = "2 successes under one key";
    expect(explore({ ...keyed, without: "id from the records" }).violation).toMatchObject({
      broken,
    });
    expect(explore(keyed).violation).toBeNull();
  });
});
