import { cloudConnection, localConnection, openTables, type Tables } from "../../tables/tables.ts";
import { type Answer, problem } from "../../terminal/answer.ts";
import { confirm } from "../../terminal/ask.ts";
import { COLUMNS, render } from "../../terminal/output.ts";

const STACK_FILE = new URL("../../../.local/stack.json", import.meta.url);

/** The options that every command has. */
interface Globals {
  readonly local: boolean;
  readonly json: boolean;
}

/** A command whose options have been read. */
export interface Told {
  readonly optsWithGlobals: () => Globals;
}

interface Run<T> {
  readonly work: (tables: Tables, globals: Globals) => Promise<Answer<T>>;
  /** Chooses what is printed of the outcome; without it, everything is. */
  readonly show?: (value: T, json: boolean) => unknown;
  /** Asked before something that cannot be undone, unless `--yes` is given. */
  readonly question?: string;
  readonly yes?: boolean;
}

/** Opens the tables, does the work and prints the outcome. The exit code is 1 for a problem. */
export async function run<T>(command: Told, { work, show, question, yes }: Run<T>) {
  const globals = command.optsWithGlobals();
  const { json } = globals;
  const mustAsk = question !== undefined && yes !== true;
  const agreed = mustAsk ? await confirm(question) : null;
  const outcome = agreed?.ok === false ? agreed : await open(globals, work);
  if (!outcome.ok) {
    process.exitCode = 1;
    console.error(json ? JSON.stringify({ error: outcome.problem }) : outcome.problem);
    return;
  }
  const shown = show === undefined ? outcome.value : show(outcome.value, json);
  console.log(render(shown, json, COLUMNS));
}

/** Shows a list: people get a table, one JSON object holds it under this name. */
export function listed(name: string) {
  return (list: readonly object[], json: boolean) => (json ? { [name]: list } : list);
}

async function open<T>(globals: Globals, work: Run<T>["work"]): Promise<Answer<T>> {
  const connection = globals.local
    ? await localConnection(STACK_FILE)
    : cloudConnection(process.env);
  if (!connection.ok) return connection;
  const tables = openTables(connection.value);
  try {
    const missing = await missingCredentials(tables);
    return missing ?? (await work(tables, globals));
  } finally {
    tables.client.destroy();
  }
}

/** Asks before the first call, whose failure would look like one of DynamoDB. */
async function missingCredentials({ client }: Tables): Promise<Answer<never> | null> {
  try {
    await client.config.credentials();
    return null;
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return problem(
      "There are no AWS credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; " +
        `with --local none are needed. (${cause})`,
    );
  }
}
