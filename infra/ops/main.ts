import { Command, InvalidArgumentError } from "commander";
import * as z from "zod";
import { type AccountView, createAccount, showAccount, verifyAccount } from "./accounts.ts";
import { type Answer, answer } from "./answer.ts";
import { createKey, revokeKey } from "./keys.ts";
import { cloudConnection, localConnection, openTables, type Tables } from "./tables.ts";
import { topUp } from "./topup.ts";

const STACK_FILE = new URL("../../.local/stack.json", import.meta.url);

const program = new Command("ops")
  .description("The operator's tool: accounts, keys and credits.")
  .option("--local", "address the stack that `npm run dev` started", false)
  .option("--json", "print one JSON object", false)
  .showHelpAfterError();

const account = program.command("account").description("accounts and their balances");

account
  .command("create")
  .description("create an account with its 20 free credits")
  .requiredOption("--email <address>", "of the holder", email)
  .action(({ email: address }) => run((tables) => createAccount(tables, address), created));

account
  .command("verify")
  .description("note that the email is confirmed")
  .requiredOption("--account <id>")
  .action(({ account: id }) => run((tables) => verifyAccount(tables, id)));

account
  .command("show")
  .description("show an account and its balances")
  .requiredOption("--account <id>")
  .action(({ account: id }) => run((tables) => showAccount(tables, id)));

const key = program.command("key").description("API keys");

key
  .command("create")
  .description("create a key; it is shown once and stored nowhere")
  .requiredOption("--account <id>", "an active account with a verified email")
  .option("--label <text>", "what the key is for", "")
  .action((options) => run((tables) => createKey(tables, options)));

key
  .command("revoke")
  .description("end a key for good")
  .requiredOption("--key-id <id>")
  .action(({ keyId }) => run((tables) => revokeKey(tables, keyId)));

const credits = program.command("credits").description("movements of credits");

credits
  .command("purchase")
  .description("add bought credits; counts once per reference")
  .requiredOption("--account <id>")
  .requiredOption("--credits <n>", "how many", positive)
  .requiredOption("--reference <text>", "such as an invoice number", reference)
  .action((options) => run((tables) => purchase(tables, options)));

await program.parseAsync();

async function purchase(
  tables: Tables,
  wanted: { account: string; credits: number; reference: string },
): Promise<Answer<object>> {
  const done = await topUp(tables, { ...wanted, kind: "purchase" });
  if (!done.ok) return done;
  const shown = await showAccount(tables, wanted.account);
  if (!shown.ok) return shown;
  const { account_id, available, granted } = shown.value;
  return answer({ account_id, available, granted, counted: done.value.counted });
}

function created({ account_id, email, email_verified, status, available }: AccountView): object {
  return { account_id, email, email_verified, status, available };
}

/** Opens the tables, runs the command, prints what it says; exit code 1 when it was refused. */
async function run<T extends object>(
  command: (tables: Tables) => Promise<Answer<T>>,
  show: (value: T) => object = (value) => value,
): Promise<void> {
  const { local, json } = program.opts();
  const connection = local ? await localConnection(STACK_FILE) : cloudConnection(process.env);
  const outcome = connection.ok ? await command(openTables(connection.value)) : connection;
  if (!outcome.ok) {
    process.exitCode = 1;
    console.error(json ? JSON.stringify({ error: outcome.problem }) : outcome.problem);
    return;
  }
  const shown = show(outcome.value);
  console.log(json ? JSON.stringify(shown) : lines(shown));
}

/** One `name  value` line a field, aligned. */
function lines(shown: object): string {
  const fields = Object.entries(shown);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join("\n");
}

function email(text: string): string {
  if (!z.email().safeParse(text).success) throw new InvalidArgumentError("Not an email address.");
  return text;
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new InvalidArgumentError("A whole number from 1 to 999999999.");
  }
  return Number(text);
}

function reference(text: string): string {
  if (!/^[\x21-\x7e]{1,64}$/.test(text)) {
    throw new InvalidArgumentError("1 to 64 visible ASCII characters.");
  }
  return text;
}
