/** What an operator's command came to. A problem is one sentence that says what to do. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export function answer<T>(value: T): Answer<T> {
  return { ok: true, value };
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
