import type { Item } from "../../../src/store/dynamodb.ts";
import { amountOf, onRecord, outOfOrder, recordIn, unusedService } from "./date-findings.ts";
import type { Exhibits } from "./exhibits.ts";
import {
  add,
  changeRecord,
  type Fault,
  HOUR_MS,
  MID_MONTH_MS,
  type Partner,
  type Site,
} from "./fault.ts";
import { iso } from "./image.ts";
import { foreignKey, sharedKey } from "./key-findings.ts";
import { hashesOf, underKey } from "./keyed.ts";

/** A record of the month that is rewritten before any export has it. */
const rewritten = (name: string, change: (item: Item) => Item, findings: Fault["findings"]) => ({
  name,
  plantedMs: MID_MONTH_MS,
  spoil: (exhibits: Exhibits, { request }: Site) => {
    exhibits.closingLedger = changeRecord(exhibits.closingLedger, request.id, change);
  },
  findings,
});

const EITHER = "by request with key and service, or by sweep as ABANDONED without them";
const NULL = { NULL: true } as const;

/** A finding on the fault's record, from how its item looks now. */
function onItem(check: string, expected: string, found: (item: Item) => string) {
  return (exhibits: Exhibits, { request }: Site) => {
    const item = recordIn(exhibits, request.id);
    return [onRecord(item, check, expected, found(item))];
  };
}

/** Records of requests that say other than what happened. */
export const CHARGE_FAULTS = {
  service_of_the_same_price: rewritten(
    "Service changed to another of the same price",
    (item) => ({ ...item, service: { S: "pinboard" } }),
    (exhibits, { request }) => unusedService(exhibits, request.id),
  ),
  service_and_key_removed: rewritten(
    "Key and service taken out of a record",
    (item) => ({ ...item, key_id: NULL, service: NULL, multiplier: NULL }),
    (exhibits, site) => [
      ...onItem(
        "sweep_record",
        EITHER,
        () => "by request as OK, no key, no service, with a charge of 3",
      )(exhibits, site),
      ...onItem(
        "charge_product",
        "charge 0 for 3 items at no price",
        () => "charge 3",
      )(exhibits, site),
    ],
  ),
  marked_as_swept: rewritten(
    "Paid request marked as given up",
    (item) => ({ ...item, settled_by: { S: "sweep" } }),
    (exhibits, site) => [
      ...onItem(
        "sweep_record",
        EITHER,
        ({ key_id }) => `by sweep as OK, ${key_id?.S}, short-video, with a charge of 3`,
      )(exhibits, site),
      outOfOrder(
        recordIn(exhibits, site.request.id),
        "a settlement by the sweep at least 60 s after the beginning",
        1,
      ),
    ],
  ),
  outcome_invented: {
    name: "Outcome that does not exist",
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) =>
      void Object.assign(request, { outcome: "REFUNDED", itemCount: 0, charge: 0 }),
    findings: onItem(
      "outcome_known",
      "an outcome of the specification",
      () => "REFUNDED with a charge of 0",
    ),
  },
  idempotency_key_exchanged: {
    ...rewritten(
      "Record put under another Idempotency-Key",
      (item) => ({ ...item, idempotency_key: { S: "0".repeat(32) } }),
      onItem("keyed_id", "another key, or to none", (item) => {
        return `the key ${"0".repeat(32)}, the hash ${item["request_hash"]?.S} and ${amountOf(item)}`;
      }),
    ),
    alter: putUnderKey,
  },
  request_hash_removed: {
    ...rewritten(
      "Hash of the request taken out of a record",
      ({ request_hash: _, ...item }) => item,
      onItem("keyed_id", "another key, or to none", (item) => {
        return `the key ${item["idempotency_key"]?.S}, the hash none and ${amountOf(item)}`;
      }),
    ),
    alter: putUnderKey,
  },
  charge_lowered: {
    ...rewritten(
      "Charge lowered, and given back to the account",
      (item) => ({ ...item, item_count: { N: "1" }, charge: { N: "1" } }),
      () => [],
    ),
    spoil: (exhibits, { request }) => {
      exhibits.closingLedger = changeRecord(exhibits.closingLedger, request.id, (item) => ({
        ...item,
        item_count: { N: "1" },
        charge: { N: "1" },
      }));
      add(exhibits.closing, { charged: -2, available: 2 });
    },
  },
  charge_invented: {
    ...rewritten("Charge for a request that nobody made", invented, () => []),
    keyFindings: onItem(
      "key_unknown",
      "an API key that the service has given",
      (item) => `a charge of 3 under ${nobodysKey(item)}, which nobody has`,
    ),
  },
  charges_exchanged: {
    withPartner: true,
    name: "Equal charges of two accounts exchanged",
    plantedMs: MID_MONTH_MS,
    alter: (site) => void site.life.requests.push(sameKeyAgain(site)),
    spoil: (exhibits, site, partner) => {
      exchange(exhibits, site, partner);
      exchange(partner.exhibits, partner.site, { site, exhibits });
    },
    findings: (_, { life, request }, { site }) => {
      const [first = "", last = ""] = [life.account, site.life.account].sort();
      return [request, site.request].map(({ keyId }) => sharedKey(keyId, [first, last], 3));
    },
    keyFindings: (_, { life, request }, { site }) => [
      foreignKey(request, site.life.account, life.account),
      foreignKey(site.request, life.account, site.life.account),
    ],
  },
  charge_moved: {
    withPartner: true,
    name: "Charge moved to another account",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, site, partner) => {
      exchange(exhibits, site, partner);
      add(exhibits.closing, { charged: -3, available: 3 });
      add(partner.exhibits.closing, { charged: 3, available: -3 });
    },
    findings: () => [],
    keyFindings: (_, { life, request }, { site }) => [
      foreignKey(request, site.life.account, life.account),
    ],
  },
  key_revoked_before: {
    name: "Charge under a key that was revoked an hour before",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, { request }) => {
      const ended = { status: { S: "revoked" }, changed_at: { S: iso(MID_MONTH_MS - HOUR_MS) } };
      exhibits.keys = changeKey(exhibits.keys, request.keyId, ended);
    },
    findings: () => [],
    keyFindings: onItem(
      "key_ended",
      `nothing after its key ended at ${iso(MID_MONTH_MS - HOUR_MS)}`,
      underItsKey,
    ),
  },
  key_made_after: {
    name: "Charge under a key that was made an hour later",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits, { request }) => {
      const made = { created_at: { S: iso(MID_MONTH_MS + HOUR_MS) } };
      exhibits.keys = changeKey(exhibits.keys, request.keyId, made);
    },
    findings: () => [],
    keyFindings: onItem(
      "key_early",
      `a date after its key began at ${iso(MID_MONTH_MS + HOUR_MS)}`,
      underItsKey,
    ),
  },
} as const satisfies Record<string, Fault>;

/** Who invents a record cannot make its MAC. */
function invented({ mac: _, ...item }: Item): Item {
  return { ...item, key_id: { S: nobodysKey(item) } };
}

function nobodysKey({ record_id }: Item): string {
  return `key_${record_id?.S?.replaceAll("-", "").slice(0, 24)}`;
}

function putUnderKey({ request }: Site): void {
  const [keyed] = underKey([request], hashesOf(request));
  Object.assign(request, keyed);
}

function sameKeyAgain({ request }: Site) {
  const laterMs = HOUR_MS;
  return {
    ...request,
    id: request.id.replace(/^.{13}/, (time) => later(time, laterMs)),
    nonce: `${request.nonce}2`,
    heldMs: request.heldMs + laterMs,
    recordedMs: request.recordedMs + laterMs,
    releasedMs: request.releasedMs + laterMs,
    expiresMs: request.expiresMs + laterMs,
  };
}

/** The first digits of a UUIDv7, which are its time. */
function later(time: string, byMs: number): string {
  const timeMs = Number.parseInt(time.replace("-", ""), 16) + byMs;
  const digits = timeMs.toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/** Files the site's record under the partner's account. */
function exchange(exhibits: Exhibits, { request, life }: Site, { site, exhibits: other }: Partner) {
  const { account } = site.life;
  const item = exhibits.closingLedger.find(
    (one) => one["record_id"]?.S === request.id && one["account"]?.S === life.account,
  );
  exhibits.closingLedger = exhibits.closingLedger.filter((one) => one !== item);
  const account_period = { S: `${account}#2026-10` };
  other.closingLedger = [
    ...other.closingLedger,
    { ...item, account: { S: account }, account_period },
  ];
}

function changeKey(items: readonly Item[], keyId: string, changes: Item): Item[] {
  return items.map((item) => (item["key_id"]?.S === keyId ? { ...item, ...changes } : item));
}

function underItsKey(item: Item): string {
  return `${amountOf(item)} dated ${item["settled_at"]?.S} under ${item["key_id"]?.S}`;
}
