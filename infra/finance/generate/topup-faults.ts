import type { Item } from "../../../src/store/dynamodb.ts";
import { CLOSING_MS, OPENING_MS } from "./calendar.ts";
import { backdated, onRecord, recordIn, unclaimed } from "./date-findings.ts";
import type { Exhibits } from "./exhibits.ts";
import {
  add,
  BEFORE_OPENING_MS,
  changeRecord,
  type Fault,
  MID_MONTH_MS,
  onAccount,
  type Site,
} from "./fault.ts";
import { balancesAt, iso } from "./image.ts";
import { planTopUp, purchaseOf } from "./planted.ts";

/** A purchase of the month, and what the closing export shows of it. */
const bought = (
  name: string,
  change: (item: Item, site: Site) => Item,
  more: Pick<Fault, "findings" | "keyFindings">,
): Fault => ({
  name,
  plantedMs: MID_MONTH_MS,
  alter: (site) => void planTopUp(site, { credits: 500, atMs: MID_MONTH_MS }),
  spoil: (exhibits, site) => {
    exhibits.closingLedger = changeRecord(exhibits.closingLedger, purchaseOf(site), (item) =>
      change(item, site),
    );
  },
  ...more,
});

/** Top-ups that were relabelled, counted twice, or invented. */
export const TOPUP_FAULTS = {
  purchase_called_grant: bought("Purchase booked as a grant", asGrant, {
    findings: () => [],
    keyFindings: (_, site) => [relabelled(site)],
  }),
  old_purchase_called_grant: {
    ...bought("Purchase from before the opening rebooked as a grant", asGrant, {
      findings: (exhibits, site) => {
        const old = recordIn(
          { ...exhibits, closingLedger: exhibits.openingLedger },
          purchaseOf(site),
        );
        const said =
          `purchase ${old["reference"]?.S} of 500, nonce ${old["nonce"]?.S}, ` +
          `at ${old["created_at"]?.S}, by ${old["by"]?.S}`;
        return [onRecord(old, "record_deleted", said, "no record"), backdated(asGrant(old))];
      },
      keyFindings: (_, site) => [relabelled(site)],
    }),
    plantedMs: BEFORE_OPENING_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: BEFORE_OPENING_MS }),
  },
  kind_rewritten: bought(
    "Kind of a purchase rewritten",
    (item) => ({ ...item, kind: { S: "grant" } }),
    {
      findings: (exhibits, site) => {
        const item = recordIn(exhibits, purchaseOf(site));
        const period = item["account_period"]?.S;
        const expected = `${period} grant:${item["reference"]?.S}`;
        return [onRecord(item, "topup_key", expected, `${period} ${purchaseOf(site)}`)];
      },
      keyFindings: (_, site) => [relabelled(site, purchaseOf(site))],
    },
  ),
  reason_removed: {
    name: "Adjustment without its reason",
    plantedMs: MID_MONTH_MS,
    alter: (site) =>
      void Object.assign(planTopUp(site, { credits: -7, atMs: MID_MONTH_MS }), { reason: null }),
    findings: (exhibits, site) => [
      onRecord(
        recordIn(exhibits, purchaseOf(site)),
        "topup_reason",
        "a reason",
        "adjustment of -7 without a reason",
      ),
    ],
  },
  invoice_twice: {
    name: "Invoice counted as a purchase and as a grant",
    plantedMs: MID_MONTH_MS,
    alter: (site) => {
      const { life } = site;
      const purchase = planTopUp(site, { credits: 500, atMs: MID_MONTH_MS });
      life.topUps.push({ ...purchase, kind: "grant", nonce: `${purchase.nonce}-2` });
    },
    spoil: (exhibits, site) => {
      const name = `reference#${purchaseOf(site).slice("purchase:".length)}`;
      const first = exhibits.keys.findIndex((item) => item["key_id"]?.S === name);
      exhibits.keys = exhibits.keys.filter(
        (item, at) => at === first || item["key_id"]?.S !== name,
      );
    },
    findings: (exhibits, site) => {
      const item = asGrant(recordIn(exhibits, purchaseOf(site)));
      const found = `2 top-ups of 1000 credits, the last ${purchaseOf(site)} of ${site.life.account}`;
      return [onRecord(item, "reference_shared", `${item["reference"]?.S} once`, found)];
    },
    keyFindings: (_, site) => [relabelled(site)],
  },
  purchase_twice: {
    name: "Purchase in the books twice",
    plantedMs: MID_MONTH_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: MID_MONTH_MS }),
    spoil: (exhibits, site) => {
      exhibits.closingLedger.push({ ...recordIn(exhibits, purchaseOf(site)) });
    },
    findings: (exhibits, site) => twice(exhibits, site),
  },
  purchase_invented: {
    name: "Purchase invented, with its credits",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, site) => {
      exhibits.closingLedger.push(invented(site));
      add(exhibits.closing, { available: 500, granted: 500 });
    },
    findings: ({ closing }, site) => {
      const topUps = Number(closing?.["movements"]?.N);
      return [onAccount(site, "movement_count", `${topUps + 1} top-ups`, `${topUps} top-ups`)];
    },
    keyFindings: (_, site) => [unclaimed(site, invented(site))],
  },
  purchase_invented_whole: {
    name: "Purchase invented, with all that belongs to it on the account",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, site) => {
      exhibits.closingLedger.push(invented(site));
      add(exhibits.closing, { available: 500, granted: 500, movements: 1 });
    },
    findings: () => [],
    keyFindings: (_, site) => [unclaimed(site, invented(site))],
  },
  purchases_exchanged: {
    withPartner: true,
    name: "Equal purchases of two accounts exchanged",
    plantedMs: MID_MONTH_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: MID_MONTH_MS }),
    spoil: (exhibits, site, partner) => {
      const [own, others] = [purchaseOf(site), purchaseOf(partner.site)];
      const mine = recordIn(exhibits, own);
      const theirs = recordIn(partner.exhibits, others);
      exhibits.closingLedger = changeRecord(exhibits.closingLedger, own, () =>
        filedUnder(theirs, mine),
      );
      partner.exhibits.closingLedger = changeRecord(partner.exhibits.closingLedger, others, () =>
        filedUnder(mine, theirs),
      );
    },
    findings: () => [],
    keyFindings: (_, site, partner) => [
      exchanged(partner.site, site.life.account),
      exchanged(site, partner.site.life.account),
    ],
  },
} as const satisfies Record<string, Fault>;

function asGrant(item: Item): Item {
  return { ...item, kind: { S: "grant" }, record_id: { S: `grant:${item["reference"]?.S}` } };
}

/** A purchase whose claim says so, booked as a grant. */
function relabelled(site: Site, id = purchaseOf(site).replace(/^purchase/, "grant")) {
  const { account } = site.life;
  return {
    check: "claim_other",
    account,
    request: id,
    expected: `purchase of account ${account}`,
    found: `grant of 500 credits to account ${account}`,
  };
}

function exchanged(site: Site, account: string) {
  return {
    check: "claim_other",
    account,
    request: purchaseOf(site),
    expected: `purchase of account ${site.life.account}`,
    found: `purchase of 500 credits to account ${account}`,
  };
}

function filedUnder(item: Item, { account, account_period }: Item): Item {
  return { ...item, ...(account && { account }), ...(account_period && { account_period }) };
}

/** A second copy counts in every sum. */
function twice({ closing }: Exhibits, site: Site) {
  const { account } = site.life;
  const granted = Number(closing?.["granted"]?.N);
  const movements = Number(closing?.["movements"]?.N);
  const balance = Number(closing?.["available"]?.N) + Number(closing?.["held"]?.N);
  const [then, now] = [balancesAt(site.life, OPENING_MS), balancesAt(site.life, CLOSING_MS)];
  const before = then.available + then.held;
  const toppedUp = now.granted - then.granted + 500;
  const charged = now.charged - then.charged;
  return [
    {
      check: "topup_duplicate",
      account,
      request: purchaseOf(site),
      expected: "1 record",
      found: "2 records of 1000 credits",
    },
    onAccount(
      site,
      "granted_sum",
      `top-ups of ${granted + 500} in the ledger`,
      `granted ${granted}`,
    ),
    onAccount(site, "movement_count", `${movements + 1} top-ups`, `${movements} top-ups`),
    onAccount(
      site,
      "opening_closing",
      `${before} + topped up ${toppedUp} - charged ${charged} = ${before + toppedUp - charged}`,
      `a balance of ${balance}`,
    ),
  ];
}

/** Written by a thief of the worker's rights, who has no MAC key. */
function invented({ life, request }: Site): Item {
  const reference = `INV-${request.nonce}-${life.account.slice(-8)}`;
  return {
    account_period: { S: `${life.account}#credits` },
    record_id: { S: `purchase:${reference}` },
    kind: { S: "purchase" },
    account: { S: life.account },
    nonce: { S: "invented" },
    reference: { S: reference },
    credits: { N: "500" },
    created_at: { S: iso(MID_MONTH_MS) },
  };
}
