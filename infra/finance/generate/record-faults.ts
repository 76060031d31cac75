import { DAY_MS } from "../../../src/idempotency/attempt-id.ts";
import { CLOSING_MS, NEVER_MS } from "./calendar.ts";
import type { Exhibits } from "./exhibits.ts";
import { type Fault, MID_MONTH_MS, onRequest, type Site } from "./fault.ts";
import { idOf } from "./image.ts";
import { hashesOf, underKey } from "./keyed.ts";
import type { Request, TopUp } from "./life.ts";

/** A request whose record is wrong, with an account that agrees with the record. */
const recorded = (
  change: Partial<Site["request"]>,
  findings: Fault["findings"],
  plantedMs = MID_MONTH_MS,
): Fault => ({ plantedMs, alter: ({ request }) => void Object.assign(request, change), findings });

/** A purchase in the middle of the month. */
const purchase = (credits: number): TopUp => ({
  kind: "purchase",
  reference: "INV-PLANTED",
  credits,
  reason: null,
  nonce: "planted",
  announcedMs: MID_MONTH_MS,
  recordedMs: MID_MONTH_MS + 20,
  concludedMs: MID_MONTH_MS + 40,
});

/** Faults of single records. Only one check finds each of them. */
export const RECORD_FAULTS = {
  charge_product: recorded(
    { charge: 4 },
    onRequest("charge_product", "charge 3 for 3 items at 1", "charge 4"),
  ),
  charge_range: recorded(
    { itemCount: 12, charge: 12 },
    onRequest("charge_range", "charge from 0 to the reserved 10", "charge 12"),
  ),
  failure_charged: recorded(
    { outcome: "UPSTREAM_ERROR" },
    onRequest("failure_charged", "charge 0 for UPSTREAM_ERROR", "charge 3"),
  ),
  item_count: recorded(
    { itemCount: 0, charge: 0 },
    onRequest("item_count", "1 to 20 items", "0 items"),
  ),
  multiplier: recorded(
    { multiplier: 2, charge: 6 },
    onRequest("multiplier", "1 credits per item of short-video", "2"),
  ),
  reserved: recorded(
    { reserved: 21 },
    onRequest("reserved", "1 to 20 times 1 reserved", "reserved 21"),
  ),
  paid_twice: {
    plantedMs: MID_MONTH_MS,
    alter: ({ life, request }) => {
      const { first, second } = paidTwice(request);
      Object.assign(request, first);
      life.requests.push(second);
    },
    findings: (exhibits, { life, request, neighbour }) => {
      const { keyHash = "" } = request.idempotency ?? {};
      const second = life.requests.find(
        (one) => one !== request && one.idempotency?.keyHash === keyHash,
      );
      return onRequest(
        "paid_twice",
        `no success under ${keyHash} in the 86400 s before`,
        "one 86399 s before",
      )(exhibits, { life, request: second ?? request, neighbour });
    },
  },
  request_id: {
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) => {
      request.id = `${request.id.slice(0, 14)}4${request.id.slice(15)}`;
    },
    findings: onRequest("request_id", "a UUID of version 7", "version 4"),
  },
  record_period: {
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
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) =>
      void Object.assign(request, { itemCount: 0, charge: 0, outcome: "UPSTREAM_ERROR" }),
    spoil: (exhibits, { request, neighbour }) => {
      const item = exhibits.closingLedger.find((one) => one["record_id"]?.S === request.id);
      const account_period = { S: `${neighbour}#2026-10` };
      exhibits.closingLedger.push({ ...item, account: { S: neighbour }, account_period });
    },
    findings: (exhibits, { life, request, neighbour }) => {
      const [first = "", last] = [life.account, neighbour].sort();
      const found = `2 usage records, the last of ${last}`;
      return onRequest(
        "request_duplicate",
        "1 usage record",
        found,
      )(exhibits, {
        life: { ...life, account: first },
        request,
        neighbour,
      });
    },
  },
  hold_overdue: recorded(
    { recordedMs: NEVER_MS, releasedMs: NEVER_MS },
    onRequest(
      "hold_overdue",
      "gone within 120 s after its expiry",
      "a hold of 10, open 600 s after it",
    ),
    CLOSING_MS - 780_000,
  ),
  topup_credits: {
    plantedMs: MID_MONTH_MS,
    alter: ({ life }) => void life.topUps.push(purchase(-5)),
    findings: onTopUp("topup_credits", "credits above 0", "-5 credits"),
  },
  topup_key: {
    plantedMs: MID_MONTH_MS,
    alter: ({ life }) => void life.topUps.push(purchase(5)),
    spoil: ({ closingLedger }) => {
      const id = idOf(purchase(5));
      const item = closingLedger.find((one) => one["record_id"]?.S === id);
      if (item !== undefined) item["reference"] = { S: "INV-OTHER" };
    },
    findings: (exhibits, site) => {
      const period = `${site.life.account}#credits`;
      const expected = `${period} purchase:INV-OTHER`;
      return onTopUp("topup_key", expected, `${period} purchase:INV-PLANTED`)(exhibits, site);
    },
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
  return (_: Exhibits, { life }: Site) => [
    { check, account: life.account, request: idOf(purchase(5)), expected, found },
  ];
}
