import type { Tables } from "../../tables/tables.ts";
import { type Answer, answer } from "../../terminal/answer.ts";
import { showAccount } from "../accounts.ts";
import { positive, reference, signed } from "../options.ts";
import { type TopUp, topUp } from "../topup.ts";
import type { Program } from "./program.ts";
import { run } from "./run.ts";

/** `credits purchase | grant | adjust` */
export function creditsCommands(program: Program): void {
  const credits = program.command("credits").description("movements of credits");

  const movement = (kind: "purchase" | "grant", description: string) =>
    credits
      .command(kind)
      .description(description)
      .requiredOption("--account <id>")
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
    .requiredOption("--account <id>")
    .requiredOption("--credits <n>", "how many, with a minus sign to take away", signed)
    .requiredOption("--reference <text>", "such as a ticket number", reference)
    .requiredOption("--reason <text>", "for the ledger")
    .action((options, command) =>
      run(command, { work: (tables) => move(tables, { ...options, kind: "adjustment" }) }),
    );
}

async function move(tables: Tables, wanted: TopUp): Promise<Answer<object>> {
  const done = await topUp(tables, wanted);
  if (!done.ok) return done;
  const shown = await showAccount(tables, wanted.account);
  if (!shown.ok) return shown;
  const { account_id, available, granted } = shown.value;
  const { kind, reference, credits } = wanted;
  return answer({ account_id, kind, reference, credits, available, granted, ...done.value });
}
