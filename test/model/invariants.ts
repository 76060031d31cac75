import {
  type Actor,
  GRANT,
  type Options,
  REPLAYED,
  RESERVED,
  type State,
  senderOf,
} from "./state.ts";
import { apply } from "./store.ts";

/** The first invariant that a state breaks. Null if all hold. */
export function broken(state: State, options: Options): string | null {
  return (
    brokenBalance(state, options) ??
    brokenKey(state, options) ??
    brokenWord(state) ??
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
  const open = holds.filter((nonce) => nonce !== 0).length;
  if (held !== open * RESERVED) return `held is ${held} with ${open} holds`;
  const gone = records.map((record, at) =>
    record && holds[at] !== record.nonce ? record.charge : 0,
  );
  const charges = gone.reduce((sum, charge) => sum + charge, 0);
  if (charged !== charges) return `charged is ${charged}, the ledger says ${charges}`;
  // Credited by the same write that takes the announcement away.
  const counts = movement !== 0 && pending !== movement;
  const added = granted - options.available;
  return added !== 0 && !(counts && added === GRANT) ? `granted ${added} more` : null;
}

function brokenWord({ actors, records }: State): string | null {
  const liar = actors.find((actor, at) => actor.role === "request" && lies(actor, at, records));
  return liar === undefined ? null : `request ${liar.request} was told ${liar.told}`;
}

function lies({ told, request }: Actor, at: number, records: State["records"]): boolean {
  if (told === null) return false;
  if (told === REPLAYED) return !records.some((record) => (record?.charge ?? 0) > 0);
  const { nonce, charge } = records[request] ?? { nonce: 0, charge: 0 };
  // Under one key, another request may have been paid under the same id.
  return told === -1 ? charge !== 0 && senderOf(nonce) === at : charge !== told;
}

/** If everybody has crashed, one undisturbed sweep leaves no hold and no error. */
function brokenEnd(state: State, options: Options): string | null {
  let end = state;
  for (const [request, nonce] of state.account.holds.entries()) {
    if (nonce === 0) continue;
    const write = { from: 0, attempt: 0, request, nonce, charge: 0 };
    [end] = apply(end, { ...write, kind: "commit" }, options);
    const record = end.records[request];
    const charge = record?.nonce === nonce ? record.charge : 0;
    [end] = apply(end, { ...write, kind: "release", charge }, options);
  }
  if (end.account.held !== 0) return "a sweep left something held";
  return brokenBalance(end, options) ?? brokenWord(end);
}
