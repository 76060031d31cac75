import { type Actor, coverOf, type Options, type State, type Write } from "./state.ts";

/** Drops the writes that can change nothing any more and that nobody waits for. */
export function pruned(state: State, options: Options): State {
  if (options.without !== undefined) return state;
  const mail = state.mail.filter((write) => {
    const sender = state.actors[write.from];
    return isAwaited(sender, write) || canChange(state, write, options);
  });
  return { ...state, mail };
}

function canChange(
  { account, records, movement }: State,
  { kind, hold, slot, nonce }: Write,
  options: Options,
): boolean {
  if (kind === "commit") return records[coverOf(hold, options).records[slot] ?? 0] === null;
  // A hold or announcement that is gone does not come back, because its nonce is used once.
  if (kind === "release") return account.holds[hold] === nonce;
  if (kind === "record") return movement === 0;
  if (kind === "suspend") return account.isActive;
  return kind !== "conclude" || account.pending === nonce;
}

/** Whether the sender still waits for the answer to a write. */
export function isAwaited(sender: Actor | undefined, write: Write): boolean {
  if (sender === undefined) return false;
  const { attempt, kind, slot } = write;
  if (sender.role === "isolate" && kind === "commit") {
    const serving = sender.slots[slot];
    return serving?.next === "commit" && serving.attempt === attempt;
  }
  const isLast = sender.attempt === attempt && sender.slot === slot;
  return sender.isWaiting && isLast && sender.next === kind;
}
