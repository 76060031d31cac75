import { type Account, coverOf, type Kind, type Options, type State, type Write } from "./state.ts";

/** The store's answer. A refusal shows the item that made the condition fail. */
export type Answer = "written" | "refused";

/** Applies one write under its condition. */
export function apply(state: State, write: Write, options: Options): [State, Answer] {
  const image = WRITES[write.kind](state, write, options);
  return image === null ? [state, "refused"] : [{ ...state, ...image }, "written"];
}

/** The state after a write. Null if the write's condition fails. */
type Image = (state: State, write: Write, options: Options) => Partial<State> | null;

const WRITES: Readonly<Record<Kind, Image>> = {
  reserve: ({ account }, { hold, nonce }, options) => {
    const { credits } = coverOf(hold, options);
    const isOpen = account.holds[hold] !== 0;
    if (!account.isActive || account.available < credits || isOpen) return null;
    return changed(account, {
      available: account.available - credits,
      held: account.held + credits,
      holds: account.holds.with(hold, nonce),
    });
  },
  commit: ({ records, actors }, { from, hold, slot, nonce, charge }, options) => {
    const isVoid = actors[from]?.role === "sweep";
    if (isVoid && options.without === "void of every slot") return null;
    const record = coverOf(hold, options).records[slot] ?? 0;
    if (records[record] && options.without !== "record's condition") return null;
    return { records: records.with(record, { nonce, charge }) };
  },
  release: ({ account }, { hold, nonce, charge }, options) => {
    const { credits } = coverOf(hold, options);
    const isOwn = account.holds[hold] === nonce;
    if (options.without !== "release's condition" && !isOwn) return null;
    return changed(account, {
      available: account.available + credits - charge,
      held: account.held - credits,
      charged: account.charged + charge,
      holds: account.holds.with(hold, 0),
    });
  },
  suspend: ({ account }) => changed(account, { isActive: false }),
  announce: ({ account }, { nonce }) =>
    account.pending === 0 ? changed(account, { pending: nonce }) : null,
  record: ({ movement }, { nonce }) => (movement === 0 ? { movement: nonce } : null),
  conclude: ({ account }, { nonce, charge }) => {
    if (account.pending !== nonce) return null;
    const { available, granted } = account;
    return changed(account, {
      available: available + charge,
      granted: granted + charge,
      pending: 0,
    });
  },
};

function changed(account: Account, change: Partial<Account>): Partial<State> {
  return { account: { ...account, ...change } };
}
