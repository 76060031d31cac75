import { Option } from "@commander-js/extra-typings";
import type { Tables } from "../../tables/tables.ts";
import { type Answer, answer } from "../../terminal/answer.ts";
import { showAccount } from "../accounts.ts";
import { moveCredits } from "../movement.ts";
import { id, plainText, positive, reference, signed } from "../options.ts";
import { refundPurchase } from "../refund.ts";
import type { TopUp } from "../topup.ts";
import type { Program } from "./program.ts";
import { run } from "./run.ts";

/** `credits purchase | grant | adjust | refund` */
export function creditsCommands(program: Program): void {
  const credits = program.command("credits").description("movements of credits");

  const movement = (kind: "purchase" | "grant", description: string) =>
    credits
      .command(kind)
      .description(description)
      .requiredOption("--account <id>", "id of the account", id)
      .requiredOption("--credits <n>", "how many", positive)
      .requiredOption("--reference <text>", "such as an invoice number", reference)
      .action((options, command) =>
        run(command, { work: (tables) => move(tables, { ...options, kind }) }),
      );

  movement("purchase", "add bought credits; counts once per reference");
  movement("grant", "add free credits; counts once per reference");

  credits
    .command("adjust")
    .description("correct a balance up or down, never below 0 available; counts once per reference")
    .requiredOption("--account <id>", "id of the account", id)
    .requiredOption("--credits <n>", "how many, with a minus sign to take away", signed)
    .requiredOption("--reference <text>", "such as a ticket number", reference)
    .requiredOption("--reason <text>", "for the ledger; at most 200 characters", plainText(200))
    .action((options, command) =>
      run(command, { work: (tables) => move(tables, { ...options, kind: "adjustment" }) }),
    );

  credits
    .command("refund")
    .description("take back what is unused of a purchase, and say what cannot be taken")
    .requiredOption("--account <id>", "id of the account", id)
    .requiredOption("--purchase <text>", "reference of the purchase", reference)
    .requiredOption(
      "--reference <text>",
      "of the refund, such as a credit note's number",
      reference,
    )
    .option("--chargeback", "the bank has taken all its money back; recorded even if all is used")
    .addOption(
      new Option("--used-first <class>", "which credits are used first, as in finance's prices")
        .choices(["granted", "purchased"])
        .default("granted"),
    )
    .action(({ chargeback, ...options }, command) => {
      const reason = chargeback === true ? "chargeback" : "refund";
      return run(command, { work: (tables) => refundPurchase(tables, { ...options, reason }) });
    });
}

async function move(tables: Tables, wanted: TopUp): Promise<Answer<object>> {
  const done = await moveCredits(tables, wanted);
  if (!done.ok) return done;
  const shown = await showAccount(tables, wanted.account);
  if (!shown.ok) return shown;
  const { account_id, available, granted } = shown.value;
  const { kind, reference, credits } = wanted;
  return answer({ account_id, kind, reference, credits, available, granted, ...done.value });
}
