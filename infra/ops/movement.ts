import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, problem } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";
import { claim } from "./claims.ts";
import { type TopUp, topUp } from "./topup.ts";

/**
 * Moves credits under a reference that is unique over all accounts and kinds: an invoice cannot count
 * for two accounts, nor as a purchase and as a grant. The same movement may be repeated; it counts once.
 * A movement that is refused afterwards, such as an adjustment below 0, keeps its reference.
 */
export async function moveCredits(
  tables: Tables,
  wanted: TopUp,
): Promise<Answer<{ counted: boolean }>> {
  const owner = await readAccountItem(tables, wanted.account);
  if (!owner.ok) return owner;
  const { account, kind, reference } = wanted;
  const name = `reference#${reference}`;
  const claimed = await claim(tables, name, { holder: { S: account }, kind: { S: kind } });
  if (!claimed.ok) return claimed;
  return isHeldBy(claimed.value, wanted) ? topUp(tables, wanted) : taken(claimed.value, wanted);
}

function isHeldBy(item: Item, { account, kind }: TopUp): boolean {
  return item["holder"]?.S === account && item["kind"]?.S === kind;
}

function taken(item: Item, { reference }: TopUp): Answer<never> {
  return problem(
    `The reference ${reference} belongs to the ${item["kind"]?.S} of ${item["holder"]?.S}. ` +
      "Nothing was changed. Use another reference.",
  );
}
