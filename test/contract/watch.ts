/** The responses of the service that a test has received, and how they differ from the document. */

interface Seen {
  readonly responses: number;
  readonly problems: readonly string[];
}

const NOTHING: Seen = { responses: 0, problems: [] };
let seen = NOTHING;

/**
 * Compares a response with the API's document. It can still be read. What is wrong is kept for the
 * test's end, because a client under test may swallow whatever is thrown here.
 */
export async function watch(method: string, response: Response): Promise<void> {
  // Most files of tests on Node meet no response: they do not pay for the validator.
  const { problemsOf } = await import("./problems.ts");
  const { status, headers } = response;
  const body = await response.clone().text();
  const problems = problemsOf({ method, status, headers, body });
  seen = { responses: seen.responses + 1, problems: [...seen.problems, ...problems] };
}

/** How many responses were looked at since the last call, and what was wrong with them. */
export function takeSeen(): Seen {
  const taken = seen;
  seen = NOTHING;
  return taken;
}
