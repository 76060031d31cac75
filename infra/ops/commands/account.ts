import { readWhole } from "../../terminal/options.ts";
import {
  type AccountChange,
  type AccountView,
  changeAccount,
  createAccount,
  listAccounts,
  showAccount,
} from "../accounts.ts";
import { email, id, plainText } from "../options.ts";
import { BY } from "./by.ts";
import type { Program } from "./program.ts";
import { listed, run } from "./run.ts";

/** `account create | show | list | verify | unverify | suspend | activate | set` */
export function accountCommands(program: Program): void {
  const account = accountGroup(program);
  views(account);
  changes(account);

  account
    .command("create")
    .description("create an account with its 20 free test-result credits")
    .requiredOption("--email <address>", "of the holder", email)
    .requiredOption(...BY)
    .action((options, command) =>
      run(command, {
        work: (tables) => createAccount(tables, options.email, options.by),
        show: created,
      }),
    );
}

const accountGroup = (program: Program) =>
  program.command("account").description("accounts and their balances");
type AccountGroup = ReturnType<typeof accountGroup>;

function views(account: AccountGroup): void {
  account
    .command("show")
    .description("show an account and its balances")
    .requiredOption("--account <id>", "id of the account", id)
    .action((options, command) =>
      run(command, { work: (tables) => showAccount(tables, options.account) }),
    );

  account
    .command("list")
    .description("list all accounts, or those of some emails")
    .option("--email <part>", "whose email has this in it, in any case", plainText(254), "")
    .action((options, command) =>
      run(command, {
        work: (tables) => listAccounts(tables, options.email),
        show: listed("accounts"),
      }),
    );
}

function changes(account: AccountGroup): void {
  const change = (name: string, description: string, to: AccountChange) =>
    account
      .command(name)
      .description(description)
      .requiredOption("--account <id>", "id of the account", id)
      .action((options, command) =>
        run(command, { work: (tables) => changeAccount(tables, options.account, to) }),
      );

  change("verify", "note that the email is confirmed", { email_verified: true });
  change("unverify", "note that the email is not confirmed any more", { email_verified: false });
  change("suspend", "refuse every request of its keys from now on", { status: "suspended" });
  change("activate", "end a suspension", { status: "active" });

  account
    .command("set")
    .description("set what the account's holder wants to be told")
    .requiredOption("--account <id>", "id of the account", id)
    .requiredOption(
      "--low-balance <credits>",
      "log when a charge passes it; 0 for never",
      readWhole,
    )
    .action((options, command) =>
      run(command, {
        work: (tables) =>
          changeAccount(tables, options.account, { low_balance: options.lowBalance }),
      }),
    );
}

function created({ account_id, email, email_verified, status, available }: AccountView) {
  return { account_id, email, email_verified, status, available };
}
