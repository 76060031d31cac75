import {
  type Actor,
  coverOf,
  GRANT,
  type Options,
  REPLAYED,
  type State,
  senderOf,
  type UsageRecord,
} from "./state.ts";
import { apply } from "./store.ts";

/** The first invariant that a state breaks. Null if all hold. */
export function broken(state: State, options: Options): string | null {
  return (
    brokenBalance(state, options) ??
    brokenKey(state, options) ??
    brokenWord(state, options) ??
    brokenEnd(state, options)
  );
}

/** Under one Idempotency-Key at most one attempt is charged. */
function brokenKey({ records }: State, { isKeyed }: Options): string | null {
  const paid = records.filter((record) => (record?.charge ?? 0) > 0);
  return isKeyed && paid.length > 1 ? `${paid.length} successes under one key` : null;
}

function brokenBalance({ account, records, movement }: State, options: Options): string | null {
  const { available, held, charged, granted, holds, pending } = account;
  if (available < 0) return `available is ${available}`;
  if (available + held + charged !== granted) return "credits appeared or went missing";
  const open = holds.map((nonce, hold) => (nonce === 0 ? 0 : coverOf(hold, options).credits));
  if (held !== sum(open))
    return `held is ${held} with ${open.filter((credits) => credits > 0).length} holds`;
  const gone = records.map((record) =>
    record !== null && !holds.includes(record.nonce) ? record.charge : 0,
  );
  const charges = sum(gone);
  if (charged !== charges) return `charged is ${charged}, the ledger says ${charges}`;
  // Credited by the same write that takes the announcement away.
  const counts = movement !== 0 && pending !== movement;
  const added = granted - options.available;
  return added !== 0 && !(counts && added === GRANT) ? `granted ${added} more` : null;
}

function brokenWord({ actors, records }: State, options: Options): string | null {
  for (const [at, actor] of actors.entries()) {
    for (const { told, record } of toldBy(actor, options)) {
      if (lies(told, records[record] ?? null, { at, records })) {
        return `request ${record} was told ${told}`;
      }
    }
  }
  return null;
}

/** What an actor's clients were told, and the number of the record that it is about. */
function toldBy({ role, told, hold, slots }: Actor, options: Options) {
  const { records } = coverOf(hold, options);
  if (role === "request") return [{ told, record: hold }];
  return slots.map((slot, at) => ({ told: slot.told, record: records[at] ?? 0 }));
}

function lies(
  told: number | null,
  record: UsageRecord | null,
  { at, records }: Pick<State, "records"> & { at: number },
): boolean {
  if (told === null) return false;
  if (told === REPLAYED) return !records.some((other) => (other?.charge ?? 0) > 0);
  const { nonce, charge } = record ?? { nonce: 0, charge: 0 };
  // Under one key, another request may have been paid under the same id.
  return told === -1 ? charge !== 0 && senderOf(nonce) === at : charge !== told;
}

/** If everybody has crashed, one undisturbed sweep leaves no hold and no error. */
function brokenEnd(state: State, options: Options): string | null {
  let end = state;
  for (const [hold, nonce] of state.account.holds.entries()) {
    if (nonce === 0) continue;
    const write = { from: 0, attempt: 0, hold, slot: 0, nonce, charge: 0 };
    let charge = 0;
    for (const [slot, number] of coverOf(hold, options).records.entries()) {
      [end] = apply(end, { ...write, slot, kind: "commit" }, options);
      const record = end.records[number];
      charge += record?.nonce === nonce ? record.charge : 0;
    }
    [end] = apply(end, { ...write, kind: "release", charge }, options);
  }
  if (end.account.held !== 0) return "a sweep left something held";
  return brokenBalance(end, options) ?? brokenWord(end, options);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
