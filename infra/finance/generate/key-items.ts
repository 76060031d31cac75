import type { Item } from "../../../src/store/dynamodb.ts";
import { iso } from "./image.ts";
import type { Life } from "./life.ts";

/** A key is made some minutes after its account, before the first request. */
const AFTER_ACCOUNT_MS = 60_000;

/** The account's items in the table of API keys: its keys, and the claims of its references. */
export function keyItems(life: Life): Item[] {
  const keys = new Set(life.requests.map(({ keyId }) => keyId));
  const claimed = life.topUps.filter(({ reference }) => reference !== "test-results");
  return [
    ...[...keys].map((keyId) => keyItem(life, keyId)),
    ...claimed.map((topUp) => ({
      key_id: { S: `reference#${topUp.reference}` },
      holder: { S: life.account },
      kind: { S: topUp.kind },
      created_at: { S: iso(topUp.announcedMs) },
    })),
  ];
}

function keyItem({ account, createdMs }: Life, keyId: string): Item {
  const createdAt = { S: iso(createdMs + AFTER_ACCOUNT_MS) };
  return {
    key_id: { S: keyId },
    key_hash: { S: keyId.padEnd(64, "0") },
    account: { S: account },
    status: { S: "active" },
    label: { S: "main" },
    last_characters: { S: keyId.slice(-4) },
    account_state: { S: "active" },
    created_at: createdAt,
    changed_at: createdAt,
  };
}
