import { counterOf } from "../../../src/credits/items.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import { CLOSING_MS, NEVER_MS, OPENING_MS } from "./calendar.ts";
import { openingFinding, unclaimed } from "./date-findings.ts";
import type { Exhibits } from "./exhibits.ts";
import {
  add,
  type Fault,
  JUST_BEFORE_CLOSING_MS,
  MID_MONTH_MS,
  number,
  onAccount,
  type Site,
} from "./fault.ts";
import { balancesAt } from "./image.ts";

type Balance = "available" | "held" | "charged" | "granted";

/** An account whose closing balances differ from what happened. */
const misstated = (
  name: string,
  changes: Partial<Record<Balance, number>>,
  findings: Fault["findings"],
): Fault => ({
  name,
  plantedMs: MID_MONTH_MS,
  spoil: ({ closing }) => add(closing, changes),
  findings,
});

/** Faults of accounts. A changed balance also differs from the opening. */
export const ACCOUNT_FAULTS = {
  balance_negative: {
    name: "Account overdrawn by an adjustment",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, { life }) => {
      const credits = -number(exhibits.closing, "available") - 3;
      add(exhibits.closing, { available: credits, granted: credits, movements: 1 });
      exhibits.closingLedger.push(adjustment(life.account, credits));
    },
    findings: ({ closing }, { life }) => {
      const [available, held, charged] = numbers(closing, "available", "held", "charged");
      const found = `available ${available}, held ${held}, charged ${charged}`;
      const expected = "no balance below 0";
      return [{ check: "balance_negative", account: life.account, request: null, expected, found }];
    },
    keyFindings: (exhibits, site) => [unclaimed(site, exhibits.closingLedger.at(-1) ?? {})],
  },
  balance_sum: misstated(
    "Credits added to an account by hand",
    { available: 2 },
    (exhibits, site) => {
      const [available = 0, held = 0, charged = 0] = numbers(
        exhibits.closing,
        "available",
        "held",
        "charged",
      );
      const sum = available + held + charged;
      return [
        onAccount(
          site,
          "balance_sum",
          `granted ${sum - 2}`,
          `available ${available} + held ${held} + charged ${charged} = ${sum}`,
        ),
        unexplained(exhibits, site),
      ];
    },
  ),
  held_sum: misstated(
    "Credits held for no request",
    { held: 2, available: -2 },
    ({ closing }, site) => {
      const held = number(closing, "held");
      return [onAccount(site, "held_sum", `open holds of ${held - 2}`, `held ${held}`)];
    },
  ),
  charged_sum: misstated(
    "Charge without a record",
    { charged: 2, available: -2 },
    (exhibits, site) => {
      const charged = number(exhibits.closing, "charged");
      const expected = `charges of ${charged - 2} in the ledger`;
      return [
        onAccount(site, "charged_sum", expected, `charged ${charged}`),
        unexplained(exhibits, site),
      ];
    },
  ),
  granted_sum: misstated(
    "Top-up without a record",
    { granted: 2, available: 2 },
    (exhibits, site) => {
      const granted = number(exhibits.closing, "granted");
      const expected = `top-ups of ${granted - 2} in the ledger`;
      return [
        onAccount(site, "granted_sum", expected, `granted ${granted}`),
        unexplained(exhibits, site),
      ];
    },
  ),
  hold_amount: {
    name: "Reservation raised by hand",
    plantedMs: JUST_BEFORE_CLOSING_MS,
    alter: ({ request }) => void Object.assign(request, { releasedMs: NEVER_MS }),
    spoil: ({ closing }, { request }) => {
      const hold = closing?.["holds"]?.M?.[request.id]?.M;
      if (hold !== undefined) hold["n"] = { N: "12" };
      add(closing, { held: 2, available: -2 });
    },
    findings: (_, { life, request }) => [
      {
        check: "hold_amount",
        account: life.account,
        request: request.id,
        expected: "a hold of the reserved 10",
        found: "a hold of 12",
      },
    ],
  },
  open_count: {
    name: "Count of open requests raised",
    plantedMs: MID_MONTH_MS,
    spoil: ({ closing }, { request }) => {
      const name = counterOf(request.service);
      if (closing !== null) closing[name] = { N: String(Number(closing[name]?.N) + 1) };
    },
    findings: ({ closing }, site) => {
      const name = counterOf(site.request.service);
      const open = Number(closing?.[name]?.N);
      return [onAccount(site, "open_count", `${name} ${open - 1}`, `${name} ${open}`)];
    },
  },
  account_missing: {
    name: "Account removed from every export",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits) =>
      void Object.assign(exhibits, { opening: null, dayEnd: null, closing: null }),
    findings: (exhibits, site) => [withoutAccount(exhibits, site)],
  },
  account_deleted: {
    name: "Account removed from the closing export",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits) => void Object.assign(exhibits, { closing: null }),
    findings: (exhibits, site) => [
      onAccount(site, "account_deleted", `an account with ${balanceOf(exhibits)} credits`, "none"),
      withoutAccount(exhibits, site),
    ],
  },
  opening_closing: {
    name: "Opening balance lowered in the opening export",
    plantedMs: MID_MONTH_MS,
    spoil: ({ opening }) => add(opening, { available: -5, granted: -5 }),
    findings: (exhibits, site) => [unexplained(exhibits, site), openingOff(exhibits, site)],
  },
} as const satisfies Record<string, Fault>;

function balanceOf({ opening }: Exhibits): number {
  return number(opening, "available") + number(opening, "held");
}

/** The closing balance is not the opening balance plus the movements. */
function unexplained(exhibits: Exhibits, site: Site) {
  const { closing } = exhibits;
  const before = balanceOf(exhibits);
  const after = number(closing, "available") + number(closing, "held");
  const then = balancesAt(site.life, OPENING_MS);
  const now = balancesAt(site.life, CLOSING_MS);
  const toppedUp = now.granted - then.granted;
  const charged = now.charged - then.charged;
  return onAccount(
    site,
    "opening_closing",
    `${before} + topped up ${toppedUp} - charged ${charged} = ${before + toppedUp - charged}`,
    `a balance of ${after}`,
  );
}

/** The opening export's balance is not what the records before it give. */
function openingOff(exhibits: Exhibits, site: Site) {
  const { available, held } = balancesAt(site.life, OPENING_MS);
  return openingFinding(site, balanceOf(exhibits), available + held);
}

function withoutAccount({ closingLedger }: Exhibits, site: Site) {
  const found = `${closingLedger.length} ledger records of no account`;
  return onAccount(site, "account_missing", "an account", found);
}

function adjustment(account: string, credits: number): Item {
  return {
    account_period: { S: `${account}#credits` },
    record_id: { S: `adjustment:ADJ-${account}` },
    kind: { S: "adjustment" },
    account: { S: account },
    nonce: { S: "planted" },
    reference: { S: `ADJ-${account}` },
    credits: { N: String(credits) },
    reason: { S: "chargeback" },
    created_at: { S: new Date(MID_MONTH_MS).toISOString() },
  };
}

function numbers(item: Item | null, ...names: Balance[]): number[] {
  return names.map((name) => number(item, name));
}
