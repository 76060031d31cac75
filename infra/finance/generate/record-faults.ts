import { DAY_MS } from "../../../src/idempotency/attempt-id.ts";
import { CLOSING_MS, NEVER_MS } from "./calendar.ts";
import type { Exhibits } from "./exhibits.ts";
import { changeRecord, type Fault, MID_MONTH_MS, onRequest, type Site } from "./fault.ts";
import { idOf } from "./image.ts";
import { foreignKey, sharedKey } from "./key-findings.ts";
import { hashesOf, underKey } from "./keyed.ts";
import type { Request, TopUp } from "./life.ts";

/** A request whose record is wrong, with an account that agrees with the record. */
const recorded = (
  name: string,
  change: Partial<Site["request"]>,
  findings: Fault["findings"],
  plantedMs = MID_MONTH_MS,
): Fault => ({
  name,
  plantedMs,
  alter: ({ request }) => void Object.assign(request, change),
  findings,
});

/** A purchase in the middle of the month. */
const purchase = (request: Request, credits: number): TopUp => ({
  kind: "purchase",
  reference: `INV-${request.nonce}-${request.id.slice(-12)}`,
  credits,
  reason: null,
  refunds: null,
  nonce: "planted",
  announcedMs: MID_MONTH_MS,
  recordedMs: MID_MONTH_MS + 20,
  concludedMs: MID_MONTH_MS + 40,
});

/** A refund of a purchase that another account made, or nobody. */
const strayRefund = (request: Request): TopUp => ({
  ...purchase(request, -5),
  kind: "adjustment",
  reference: `REF-${request.nonce}-${request.id.slice(-12)}`,
  reason: "refund",
  refunds: "INV-NONE",
});

/** Faults of single records. Only one check finds each of them. */
export const RECORD_FAULTS = {
  charge_product: recorded(
    "Charge raised above its items",
    { charge: 4 },
    onRequest("charge_product", "charge 3 for 3 items at 1", "charge 4"),
  ),
  charge_range: recorded(
    "Charge above what was reserved",
    { itemCount: 12, charge: 12 },
    onRequest("charge_range", "charge from 0 to the reserved 10", "charge 12"),
  ),
  failure_charged: recorded(
    "Failed request that was charged",
    { outcome: "UPSTREAM_ERROR" },
    onRequest("failure_charged", "charge 0 for UPSTREAM_ERROR", "charge 3"),
  ),
  item_count: recorded(
    "Success without an item",
    { itemCount: 0, charge: 0 },
    onRequest("item_count", "1 to 20 items", "0 items"),
  ),
  multiplier: recorded(
    "Price doubled",
    { multiplier: 2, charge: 6 },
    onRequest("multiplier", "1 credits per item of short-video", "2"),
  ),
  reserved: recorded(
    "More reserved than a request can",
    { reserved: 21 },
    onRequest("reserved", "1 to 20 times 1 reserved", "reserved 21"),
  ),
  paid_twice: {
    name: "Request paid twice within a day",
    plantedMs: MID_MONTH_MS,
    alter: ({ life, request }) => {
      const { first, second } = paidTwice(request);
      Object.assign(request, first);
      life.requests.push(second);
    },
    findings: (exhibits, { life, request }) => {
      const { keyHash = "" } = request.idempotency ?? {};
      const second = life.requests.find(
        (one) => one !== request && one.idempotency?.keyHash === keyHash,
      );
      return onRequest(
        "paid_twice",
        `no success under ${keyHash} in the 86400 s before`,
        "one 86399 s before",
      )(exhibits, { life, request: second ?? request });
    },
  },
  request_id: {
    name: "Request number of a foreign series",
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) => {
      request.id = `${request.id.slice(0, 14)}4${request.id.slice(15)}`;
    },
    findings: onRequest("request_id", "a UUID of version 7", "version 4"),
  },
  record_period: {
    name: "Record filed in the month before",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, { life, request }) => {
      const item = exhibits.closingLedger.find((one) => one["record_id"]?.S === request.id);
      if (item !== undefined) item["account_period"] = { S: `${life.account}#2026-09` };
    },
    findings: (exhibits, site) => {
      const { account } = site.life;
      return onRequest("record_period", `${account}#2026-10`, `${account}#2026-09`)(exhibits, site);
    },
  },
  request_duplicate: {
    name: "Request billed to a second account too",
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) =>
      void Object.assign(request, { itemCount: 0, charge: 0, outcome: "UPSTREAM_ERROR" }),
    withPartner: true,
    spoil: (exhibits, { request }, { site }) => {
      const { account } = site.life;
      const item = exhibits.closingLedger.find((one) => one["record_id"]?.S === request.id);
      const account_period = { S: `${account}#2026-10` };
      exhibits.closingLedger.push({ ...item, account: { S: account }, account_period });
    },
    findings: (exhibits, { life, request }, partner) => {
      const other = partner.site.life.account;
      const [first = "", last = ""] = [life.account, other].sort();
      const found = `2 usage records, the last of ${last}`;
      const site = { life: { ...life, account: first }, request };
      return [
        ...onRequest("request_duplicate", "1 usage record", found)(exhibits, site),
        sharedKey(request.keyId, [first, last], 0),
      ];
    },
    keyFindings: (_, { life, request }, { site }) => [
      foreignKey(request, site.life.account, life.account),
    ],
  },
  hold_overdue: recorded(
    "Reservation that is never returned",
    { recordedMs: NEVER_MS, releasedMs: NEVER_MS },
    onRequest(
      "hold_overdue",
      "gone within 120 s after its expiry",
      "a hold of 10, open 600 s after it",
    ),
    CLOSING_MS - 780_000,
  ),
  topup_credits: {
    name: "Purchase of negative credits",
    plantedMs: MID_MONTH_MS,
    alter: ({ life, request }) => void life.topUps.push(purchase(request, -5)),
    findings: onTopUp("topup_credits", "credits above 0", "-5 credits"),
  },
  refund_purchase: {
    name: "Refund of a purchase that nobody made",
    plantedMs: MID_MONTH_MS,
    alter: ({ life, request }) => void life.topUps.push(strayRefund(request)),
    findings: (_, { life, request }) => [
      {
        check: "refund_purchase",
        account: life.account,
        request: idOf(strayRefund(request)),
        expected: "a purchase INV-NONE before it",
        found: "no such purchase",
      },
    ],
  },
  topup_key: {
    name: "Purchase filed under another reference",
    plantedMs: MID_MONTH_MS,
    alter: ({ life, request }) => void life.topUps.push(purchase(request, 5)),
    spoil: (exhibits, { request }) => {
      exhibits.closingLedger = changeRecord(
        exhibits.closingLedger,
        idOf(purchase(request, 5)),
        (item) => ({ ...item, reference: { S: `OTHER-${request.id}` } }),
      );
    },
    findings: (exhibits, site) => {
      const period = `${site.life.account}#credits`;
      const expected = `${period} purchase:OTHER-${site.request.id}`;
      const found = `${period} ${idOf(purchase(site.request, 5))}`;
      return onTopUp("topup_key", expected, found)(exhibits, site);
    },
    keyFindings: (_, { life, request }) => [
      {
        check: "claim_missing",
        account: life.account,
        request: idOf(purchase(request, 5)),
        expected: `a claim of OTHER-${request.id}`,
        found: "a purchase of 5 credits without one",
      },
    ],
  },
} as const satisfies Record<string, Fault>;

/** Two successes under one key: the second one a millisecond too early. */
function paidTwice(request: Request) {
  const laterMs = DAY_MS - 1;
  const later = {
    ...request,
    nonce: "planted",
    heldMs: request.heldMs + laterMs,
    recordedMs: request.recordedMs + laterMs,
    releasedMs: request.releasedMs + laterMs,
    expiresMs: request.expiresMs + laterMs,
  };
  const [first = request, second = later] = underKey([request, later], hashesOf(request));
  return { first, second };
}

function onTopUp(check: string, expected: string, found: string) {
  return (_: Exhibits, { life, request }: Site) => [
    { check, account: life.account, request: idOf(purchase(request, 5)), expected, found },
  ];
}
