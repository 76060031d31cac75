import type { AnyTable } from "../read/manifest.ts";

/** How people call the items of a table and their attributes. */
export interface Naming {
  readonly item: string;
  /** The attributes that are the item's keys. */
  readonly keys: readonly [string, string | null];
  readonly attributes: Readonly<Record<string, string>>;
}

const NAMINGS: Readonly<Record<AnyTable, Naming>> = {
  accounts: {
    item: "account",
    keys: ["account", null],
    attributes: {
      account: "number",
      available: "whole number of available credits",
      held: "whole number of held credits",
      charged: "whole number of charged credits",
      granted: "whole number of added credits",
      holds: "list of open requests",
      pending: "list of top-ups under way",
    },
  },
  ledger: {
    item: "ledger record",
    keys: ["account_period", "record_id"],
    attributes: {
      account_period: "place in the books",
      record_id: "number of its request or top-up",
      kind: "kind: usage, grant, purchase or adjustment",
      nonce: "mark of its reservation",
      credits: "whole number of credits",
      created_at: "date",
      reserved: "whole number of reserved credits",
      item_count: "whole number of items",
      charge: "whole number of charged credits",
      settled_by: "word on who settled it",
      settled_at: "date of its settlement",
    },
  },
  "api-keys": {
    item: "API key or claim",
    keys: ["key_id", null],
    attributes: { key_id: "number" },
  },
};

export function namingOf(table: AnyTable): Naming {
  return NAMINGS[table];
}

/** What people call the attribute, and its own name, for developers. */
export function nameOf({ attributes }: Naming, attribute: string): string {
  const words = attributes[attribute];
  return words === undefined ? attribute : `${words} (${attribute})`;
}
