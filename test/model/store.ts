import {
  type Account,
  type Kind,
  type Options,
  RESERVED,
  type State,
  type Write,
} from "./state.ts";

/** The store's answer. A refusal shows the item that made the condition fail. */
export type Answer = "written" | "refused";

/** Applies one write under its condition. */
export function apply(state: State, write: Write, options: Options): [State, Answer] {
  const image = WRITES[write.kind](state, write, options.without);
  return image === null ? [state, "refused"] : [{ ...state, ...image }, "written"];
}

/** The state after a write. Null if the write's condition fails. */
type Image = (state: State, write: Write, without: Options["without"]) => Partial<State> | null;

const WRITES: Readonly<Record<Kind, Image>> = {
  reserve: ({ account }, { request, nonce }) => {
    if (account.available < RESERVED || account.holds[request] !== 0) return null;
    return changed(account, {
      available: account.available - RESERVED,
      held: account.held + RESERVED,
      holds: account.holds.with(request, nonce),
    });
  },
  commit: ({ records }, { request, nonce, charge }, without) => {
    if (records[request] && without !== "record's condition") return null;
    return { records: records.with(request, { nonce, charge }) };
  },
  release: ({ account }, { request, nonce, charge }, without) => {
    if (without !== "release's condition" && account.holds[request] !== nonce) return null;
    return changed(account, {
      available: account.available + RESERVED - charge,
      held: account.held - RESERVED,
      charged: account.charged + charge,
      holds: account.holds.with(request, 0),
    });
  },
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
