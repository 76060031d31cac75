/** Every response of the service that a test has received, as far as it was looked at. */

const seen = { responses: 0, problems: [] as string[] };

/**
 * Compares a response with the API's document. It can still be read. What is wrong is kept for the
 * test's end, because a client under test may swallow whatever is thrown here.
 */
export async function watch(method: string, response: Response): Promise<void> {
  // Most files of tests on Node meet no response: they do not pay for the validator.
  const { problemsOf } = await import("./problems.ts");
  const { status, headers } = response;
  const body = await response.clone().text();
  seen.responses++;
  seen.problems.push(...problemsOf({ method, status, headers, body }));
}

/** How many responses were looked at since the last call, and what was wrong with them. */
export function takeSeen(): { readonly responses: number; readonly problems: readonly string[] } {
  const taken = { ...seen };
  seen.responses = 0;
  seen.problems = [];
  return taken;
}
