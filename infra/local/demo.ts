import { styleText } from "node:util";
import { changeAccount, createAccount, showAccount } from "../ops/accounts.ts";
import { createKey } from "../ops/keys.ts";
import { openTables, type Tables } from "../tables/tables.ts";
import { take } from "../terminal/answer.ts";
import { type Exchange, exchanges } from "./demo-exchanges.ts";
import { type ExampleKeys, loadExamples } from "./examples.ts";
import { SAMPLES_FOLDER, startStack } from "./stack.ts";

/**
 * `npm run demo`: the whole service on this machine, without internet. Creates an account and a key,
 * sends real HTTP requests and shows the answers. Exit code 1 when an answer is not the documented one.
 */
async function demo(): Promise<void> {
  say("Starting the service on this machine …");
  const stack = await startStack({ samples: true, onLog: () => {} });
  const tables = openTables(stack.connection);
  try {
    say(`It answers at ${stack.url}/v1/resolve; the platforms' replies are bundled samples.`);
    const { account, keys } = await open(tables);
    await showBalance(tables, account);
    for (const exchange of exchanges(await loadExamples(SAMPLES_FOLDER), stack.url, keys)) {
      await show(exchange);
      await showBalance(tables, account);
    }
    say(bold("\nEvery answer was the documented one."));
  } finally {
    tables.client.destroy();
    await stack.stop();
  }
}

/** Creates an account with a verified email and two keys; the second one is for exceeding the limit. */
async function open(tables: Tables): Promise<{ account: string; keys: ExampleKeys }> {
  const { account_id: account } = take(await createAccount(tables, "demo@example.com"));
  take(await changeAccount(tables, account, { email_verified: true }));
  const { key } = take(await createKey(tables, { account, label: "demo" }));
  const { key: otherKey } = take(await createKey(tables, { account, label: "busy" }));
  say(`\nAccount ${account} has a verified email and the key ${key}.`);
  return { account, keys: { working: key, new: otherKey } };
}

async function show({ title, request, send, expected }: Exchange): Promise<void> {
  say(bold(`\n${title}`));
  say(`  request   ${request}`);
  const response = await send();
  const body = JSON.stringify(await response.json(), null, 2).replaceAll("\n", "\n            ");
  say(`  answer    ${response.status} ${body}`);
  for (const name of ["RateLimit", "Retry-After", "WWW-Authenticate"]) {
    const value = response.headers.get(name);
    if (value !== null) say(`            ${name}: ${value}`);
  }
  if (response.status === expected) return;
  throw new Error(`Expected the status ${expected}, got ${response.status}.`);
}

async function showBalance(tables: Tables, account: string): Promise<void> {
  const { available, held, charged } = take(await settled(tables, account));
  say(`  balance   ${available} available, ${held} held, ${charged} charged`);
}

const RELEASED_WITHIN_MS = 5_000;

/** Waits for the release of the hold, which may run just after the response. */
async function settled(tables: Tables, account: string) {
  const endMs = Date.now() + RELEASED_WITHIN_MS;
  for (;;) {
    const shown = await showAccount(tables, account);
    if (!shown.ok || shown.value.open_holds === 0 || Date.now() > endMs) return shown;
  }
}

function bold(text: string): string {
  return styleText("bold", text);
}

function say(text: string): void {
  console.log(text);
}

try {
  await demo();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
