/** The outcome of an operator's command. A problem is a sentence or two that say what to do. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export function answer<T>(value: T): Answer<T> {
  return { ok: true, value };
}

/** @throws Error with the problem, where a problem is a bug: in scripts and tests. */
export function take<T>(outcome: Answer<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}

export function problem(sentence: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem: sentence };
}

export function unreachable(cause: string): { readonly ok: false; readonly problem: string } {
  return problem(
    `DynamoDB gave no answer (${cause}). Nothing is lost: run the same command again. ` +
      "Against a local stack, is `npm run dev` running?",
  );
}
