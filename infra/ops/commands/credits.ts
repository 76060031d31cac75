import { Option } from "@commander-js/extra-typings";
import type { Tables } from "../../tables/tables.ts";
import { type Answer, answer } from "../../terminal/answer.ts";
import { confirm } from "../../terminal/ask.ts";
import { showAccount } from "../accounts.ts";
import { moveCredits } from "../movement.ts";
import { listMovements } from "../movements-list.ts";
import { id, plainText, positive, reference, signed } from "../options.ts";
import { refundPurchase } from "../refund.ts";
import type { TopUp } from "../topup.ts";
import { BY } from "./by.ts";
import type { Program } from "./program.ts";
import { listed, run, type Told } from "./run.ts";

/** More than this is asked about before it is written: no pack of the price list is larger. */
const ASK_ABOVE_CREDITS = 10_000;

const YES = [
  "--yes",
  `do not ask; above ${ASK_ABOVE_CREDITS} credits needed where there is no terminal`,
  false,
] as const;

/** `credits purchase | grant | adjust | refund | list` */
export function creditsCommands(program: Program): void {
  const credits = creditsGroup(program);
  additions(credits);
  adjustments(credits);
  refunds(credits);

  credits
    .command("list")
    .description("list the grants, purchases, adjustments and refunds of an account, oldest first")
    .requiredOption("--account <id>", "id of the account", id)
    .action((options, command) =>
      run(command, {
        work: (tables) => listMovements(tables, options.account),
        show: listed("movements"),
      }),
    );
}

const creditsGroup = (program: Program) =>
  program.command("credits").description("movements of credits");
type CreditsGroup = ReturnType<typeof creditsGroup>;

function additions(credits: CreditsGroup): void {
  const movement = (kind: "purchase" | "grant", description: string) =>
    credits
      .command(kind)
      .description(description)
      .requiredOption("--account <id>", "id of the account", id)
      .requiredOption("--credits <n>", "how many", positive)
      .requiredOption("--reference <text>", "such as an invoice number", reference)
      .requiredOption(...BY)
      .option(...YES)
      .action((options, command) => moved(command, { ...options, kind }));

  movement("purchase", "add bought credits; counts once per reference");
  movement("grant", "add free credits; counts once per reference");
}

function adjustments(credits: CreditsGroup): void {
  credits
    .command("adjust")
    .description("correct a balance up or down, never below 0 available; counts once per reference")
    .requiredOption("--account <id>", "id of the account", id)
    .requiredOption("--credits <n>", "how many, with a minus sign to take away", signed)
    .requiredOption("--reference <text>", "such as a ticket number", reference)
    .requiredOption("--reason <text>", "for the ledger; at most 200 characters", plainText(200))
    .requiredOption(...BY)
    .option(...YES)
    .action((options, command) => moved(command, { ...options, kind: "adjustment" }));
}

function refunds(credits: CreditsGroup): void {
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
    .requiredOption(...BY)
    .option(...YES)
    .action(({ chargeback, yes, ...options }, command) => {
      const reason = chargeback === true ? "chargeback" : "refund";
      const { account, purchase } = options;
      const agree = async (taken: number): Promise<Answer<void>> =>
        yes || taken <= ASK_ABOVE_CREDITS
          ? answer(undefined)
          : confirm(`Take ${taken} credits of ${purchase} from ${account}?`);
      return run(command, {
        work: (tables) => refundPurchase(tables, { ...options, reason }, agree),
      });
    });
}

/** Asks about a large movement, and does it. */
function moved(command: Told, { yes, ...wanted }: TopUp & { readonly yes: boolean }) {
  const { account, credits, kind, reference } = wanted;
  const isLarge = Math.abs(credits) > ASK_ABOVE_CREDITS;
  const what = credits < 0 ? `Take ${-credits} credits from` : `Add ${credits} credits to`;
  return run(command, {
    work: (tables) => move(tables, wanted),
    ...(isLarge && { question: `${what} ${account} (${kind} ${reference})?` }),
    yes,
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
