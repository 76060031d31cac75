import type { Command } from "commander";
import { cloudConnection, localConnection, openTables, type Tables } from "../../tables/tables.ts";
import { type Answer, problem } from "../../terminal/answer.ts";
import { confirm, render } from "../../terminal/output.ts";

const STACK_FILE = new URL("../../../.local/stack.json", import.meta.url);

interface Run<T> {
  readonly work: (tables: Tables) => Promise<Answer<T>>;
  /** What of the outcome is printed; all of it without this. */
  readonly show?: (value: T) => unknown;
  /** Asked on a terminal before something that cannot be undone; `--yes` answers. */
  readonly question?: string;
  readonly yes?: boolean;
}

/** Opens the tables, does the work, prints what it says; exit code 1 when it was refused. */
export async function run<T>(command: Command, { work, show, question, yes }: Run<T>) {
  const { local, json } = command.optsWithGlobals();
  const agreed = question === undefined || yes === true || (await confirm(question));
  const outcome = agreed ? await open(local, work) : problem("Nothing was changed.");
  if (!outcome.ok) {
    process.exitCode = 1;
    console.error(json ? JSON.stringify({ error: outcome.problem }) : outcome.problem);
    return;
  }
  console.log(render(show === undefined ? outcome.value : show(outcome.value), json));
}

async function open<T>(local: boolean, work: Run<T>["work"]): Promise<Answer<T>> {
  const connection = local ? await localConnection(STACK_FILE) : cloudConnection(process.env);
  if (!connection.ok) return connection;
  const tables = openTables(connection.value);
  try {
    return await work(tables);
  } finally {
    tables.client.destroy();
  }
}
