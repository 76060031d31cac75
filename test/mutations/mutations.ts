/** One way to break the protocol, as a change of the code's text. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

const RESERVE = "src/credits/reserve.ts";
const SETTLE = "src/credits/settle.ts";
const SWEEP = "src/credits/sweep.ts";
const HEAL = "src/credits/heal.ts";
const ITEMS = "src/credits/items.ts";
const RESOLVE = "src/resolve.ts";

/**
 * The mutations that the design lists, each condition removed on its own, and a few other tempting
 * mistakes.
 */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "drop the nonce from the release condition",
    file: SETTLE,
    find: '"holds.#request.nonce = :nonce AND holds.#request.n = :n"',
    replace: '"holds.#request.n = :n"',
  },
  {
    name: "drop the nonce from the record's decision",
    file: SETTLE,
    find: "const isOwn = record.nonce === usage.nonce;",
    replace: 'const isOwn = record.nonce !== "";',
  },
  {
    name: "let the SDK retry reserve: every attempt carries the same nonce",
    file: RESERVE,
    find: "const nonce = ledger.nonce();",
    replace: "const nonce = wanted.requestId.slice(-8);",
  },
  {
    name: "let the client of the store retry by itself",
    file: "src/store/dynamodb-client.ts",
    find: "if (output === null)",
    replace:
      "if (response.status >= 500 && !Object.isFrozen(command)) " +
      "return this.send(Object.freeze(command), { abortSignal });" +
      "if (output === null)",
  },
  {
    name: "drop the condition that the account is active",
    file: RESERVE,
    find: "#status = :active AND ",
    replace: "attribute_exists(#status) AND :active = :active AND ",
  },
  {
    name: "drop the condition that the email is verified",
    file: RESERVE,
    find: "email_verified = :true AND ",
    replace: ":true = :true AND ",
  },
  {
    name: "drop the condition on what is available",
    file: RESERVE,
    find: 'available >= :n " +',
    replace: 'attribute_exists(available) " +',
  },
  {
    name: "drop the condition that the hold does not exist",
    file: RESERVE,
    find: "AND attribute_not_exists(holds.#request) AND ",
    replace: "AND ",
  },
  {
    name: "drop the condition on the number of open holds",
    file: RESERVE,
    find: "size(holds) < :max",
    replace: ":max = :max",
  },
  {
    name: "drop the condition on the service's counter",
    file: RESERVE,
    find: "#counter < :serviceMax)",
    replace: ":serviceMax = :serviceMax)",
  },
  {
    name: "reserve without counting up the service's counter",
    file: RESERVE,
    find: '":one": { N: "1" }',
    replace: '":one": { N: "0" }',
  },
  {
    name: "release without counting down the service's counter",
    file: SETTLE,
    find: "if_not_exists(#counter, :one) - :one",
    replace: "if_not_exists(#counter, :one)",
  },
  {
    name: "forget which service's counter counts a stored hold",
    file: ITEMS,
    find: "service: M.s ?? null,",
    replace: "service: M.s === undefined ? null : null,",
  },
  {
    name: "make no room for a service whose counter is full of expired holds",
    file: RESERVE,
    find: "isFull && hold.service === service ? 0 : 1",
    replace: "isFull && hold.service === service ? 1 : 1",
  },
  {
    name: "drop the condition of the usage record",
    file: SETTLE,
    find: '"attribute_not_exists(record_id)"',
    replace: '"attribute_not_exists(no_such_attribute)"',
  },
  {
    name: "drop the condition of leaving the sweep's index",
    file: SWEEP,
    find: '"size(holds) = :none"',
    replace: '"size(holds) >= :none"',
  },
  {
    name: "swap commit and release",
    file: RESOLVE,
    find: 'const decided = await call.trace.time("settle", () => settle(service.ledger, hold, settlement));',
    replace:
      "await release(service.ledger, hold, itemCount * multiplier);\n" +
      '  const decided = await call.trace.time("settle", () => settle(service.ledger, hold, settlement));',
  },
  {
    name: "charge max_results instead of items",
    file: RESOLVE,
    find: "const itemCount = found.ok ? found.value.items.length : 0;",
    replace: "const itemCount = found.ok ? hold.credits / multiplier : 0;",
  },
  {
    name: "skip the refund when the client has gone",
    file: RESOLVE,
    find: "return settleAs(service, task, { begun, reserved: reserved.value, found });",
    replace:
      'if (call.signal.aborted) return failed("UPSTREAM_ERROR", "gone");\n' +
      "  return settleAs(service, task, { begun, reserved: reserved.value, found });",
  },
  {
    name: "charge a client that has gone",
    file: "src/search/find-media.ts",
    find: "found.ok && wanted.signal.aborted;",
    replace: "found.ok && wanted.signal.aborted && !found.ok;",
  },
  {
    name: "charge failures",
    file: RESOLVE,
    find: "found.value.items.length : 0;",
    replace: "found.value.items.length : 1;",
  },
  {
    name: "tell what was found instead of what the ledger says",
    file: RESOLVE,
    find:
      'if (charge !== itemCount * multiplier) return failed("UPSTREAM_ERROR", "settle: too late");\n' +
      "  return success(respond(task, found.value, { requestId: hold.requestId, charge }));",
    replace:
      "const told = itemCount * multiplier;\n" +
      "  return success(respond(task, found.value, { requestId: hold.requestId, charge: told }));",
  },
  {
    name: "sweep before expiry",
    file: ITEMS,
    find: "hold.expiresMs <= nowMs",
    replace: "hold.expiresMs - 120_000 <= nowMs",
  },
  {
    name: "never release in the sweep",
    file: HEAL,
    find: "const gone = await release(ledger, hold, decided.charge, HEAL_RELEASE_ATTEMPTS);",
    replace: "const gone = true;",
  },
  {
    name: "release with charge 0 in the sweep, whatever the ledger says",
    file: HEAL,
    find: "release(ledger, hold, decided.charge,",
    replace: "release(ledger, hold, 0,",
  },
  {
    name: "answer 402 without counting what expired holds give back",
    file: RESERVE,
    find: "account.available + returning < wanted.credits",
    replace: "account.available < wanted.credits",
  },
  {
    name: "give up a settlement after the first attempt",
    file: SETTLE,
    find: "if (ledger.now() >= hold.expiresMs) return null;",
    replace: "return null;",
  },
  {
    name: "ask the platform before the hold is known to be durable",
    file: RESERVE,
    find:
      'if (write.outcome === "unknown") return { again: "unanswered", cause: write.cause };\n' +
      "  return success({ ...hold, available: availableIn(write.attributes) });",
    replace:
      'const available = write.outcome === "written" ? availableIn(write.attributes) : 0;\n' +
      "  return success({ ...hold, available });",
  },
  {
    name: "adopt a hold that is about to expire",
    file: RESERVE,
    find: "return isFresh\n",
    replace: "return isFresh || true\n",
  },
  {
    name: "take the month of the ledger key from the settlement",
    file: ITEMS,
    find: "...ledgerKey(usage.account, usage.requestId),",
    replace:
      "...ledgerKey(usage.account, usage.requestId),\n    account_period: " +
      '{ S: usage.account + "#" + new Date(usage.settledAtMs).toISOString().slice(0, 7) },',
  },
  {
    name: "count a top-up whose record names another nonce",
    file: "infra/ops/topup.ts",
    find: "const counts = decided.value.nonce === announced.value;",
    replace: "const counts = true;",
  },
  {
    name: "announce a top-up anew when a late copy lands",
    file: "infra/ops/topup.ts",
    find: "movements = :seen AND ",
    replace: ":seen = :seen AND ",
  },
  {
    name: "give a reserve up that was refused for what has gone meanwhile",
    file: RESERVE,
    find: 'unanswered += tried.again === "unanswered" ? 1 : 0;',
    replace: "unanswered += 1;",
  },
  {
    name: "adopt another request's hold under the same id",
    file: RESERVE,
    find: "landed !== undefined && wanted.nonces.has(landed.nonce)",
    replace: "landed !== undefined",
  },
  {
    name: "drop the condition that no rival has a hold",
    file: RESERVE,
    find: "AND attribute_not_exists(holds.#rival",
    replace: "AND attribute_not_exists(no_such_attribute.#rival",
  },
  {
    name: "read the other day no more after a reserve at the edge of a day",
    file: "src/idempotency/begin.ts",
    find: "edgeDays.length === 0) return true;",
    replace: "edgeDays.length >= 0) return true;",
  },
  {
    name: "take a failed attempt for a paid one",
    file: ITEMS,
    find: 'isPaid: record.outcome === "OK",',
    replace: 'isPaid: record.outcome !== "",',
  },
  {
    name: "return more items in a repetition than were paid for",
    file: RESOLVE,
    find: "found.items.slice(0, paid.itemCount)",
    replace: "found.items.slice(0)",
  },
  {
    name: "accept a rotated key after its end, and not before",
    file: "src/keys/lookup.ts",
    find: "!(now() < expiresMs)",
    replace: "now() < expiresMs",
  },
];
