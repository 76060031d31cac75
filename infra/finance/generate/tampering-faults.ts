import { dayOf } from "../../../src/idempotency/attempt-id.ts";
import type { Item } from "../../../src/store/dynamodb.ts";
import { IN_TIME, outOfOrder, unusedService } from "./date-findings.ts";
import type { Exhibits } from "./exhibits.ts";
import { BEFORE_OPENING_MS, type Fault, ON_THE_DAY_MS, onRequest, type Site } from "./fault.ts";
import { usageItem } from "./image.ts";
import { hashesOf, underKey } from "./keyed.ts";
import type { Request } from "./life.ts";

/** A failed request. If its record is missing, no sum changes, so only the record is missed. */
const FAILED = { outcome: "MEDIA_NOT_FOUND", itemCount: 0, charge: 0 } as const;

/** Another service with the same price, so no sum changes. */
const forge = (item: Item): Item => ({ ...item, service: { S: "pinboard" } });
const forged = (request: Request): Request => ({ ...request, service: "pinboard" });

/** Without its key, a second charge under the key would not be seen. */
const withoutKey = ({ idempotency_key: _, request_hash: __, ...rest }: Item): Item => rest;

const altered: Fault["findings"] = (exhibits, site) =>
  onRequest("record_altered", content(site.request), content(forged(site.request)))(exhibits, site);

const deleted: Fault["findings"] = (exhibits, site) =>
  onRequest("record_deleted", content(site.request), "no record")(exhibits, site);

/**
 * Records that were changed after they were written: on the day of the incremental export, which
 * shows it; after that day; or between the two full exports, which alone show it.
 */
export const TAMPERING_FAULTS = {
  altered_on_the_day: {
    name: "Service rewritten on the day of the incremental export",
    plantedMs: BEFORE_OPENING_MS,
    spoil: (exhibits, site) => {
      const before = usageItem(site.life.account, site.request);
      exhibits.dayTampering.push({ before, after: forge(before) });
      alterClosing(exhibits, site);
    },
    findings: altered,
  },
  altered_after_the_day: {
    name: "Service rewritten after the day of the incremental export",
    plantedMs: ON_THE_DAY_MS,
    spoil: alterClosing,
    findings: (exhibits, site, partner) => [
      ...altered(exhibits, site, partner),
      ...unusedService(exhibits, site.request.id),
    ],
  },
  altered_unseen: {
    name: "Service of a record from before the opening rewritten",
    plantedMs: BEFORE_OPENING_MS,
    spoil: alterClosing,
    findings: altered,
  },
  altered_key: {
    name: "Idempotency-Key taken out of a record",
    plantedMs: BEFORE_OPENING_MS,
    alter: ({ request }) => {
      const [keyed] = underKey([request], hashesOf(request));
      Object.assign(request, keyed);
    },
    spoil: (exhibits, { request }) => replaceInClosing(exhibits, request, withoutKey),
    findings: (exhibits, site) => {
      const after = content({ ...site.request, idempotency: null });
      const { recordedMs, id } = site.request;
      const seconds = Math.floor((recordedMs - dayOf(recordedMs)) / 1000);
      const item = exhibits.closingLedger.find((one) => one["record_id"]?.S === id) ?? {};
      return [
        ...onRequest("record_altered", content(site.request), after)(exhibits, site),
        outOfOrder(item, IN_TIME, seconds),
      ];
    },
  },
  deleted_on_the_day: {
    name: "Record removed on the day of the incremental export",
    plantedMs: BEFORE_OPENING_MS,
    alter: ({ request }) => void Object.assign(request, FAILED),
    spoil: (exhibits, site) => {
      exhibits.dayTampering.push({
        before: usageItem(site.life.account, site.request),
        after: null,
      });
      deleteFromClosing(exhibits, site);
    },
    findings: deleted,
  },
  deleted_after_the_day: {
    name: "Record removed after the day of the incremental export",
    plantedMs: ON_THE_DAY_MS,
    alter: ({ request }) => void Object.assign(request, FAILED),
    spoil: deleteFromClosing,
    findings: deleted,
  },
  deleted_unseen: {
    name: "Record from before the opening removed",
    plantedMs: BEFORE_OPENING_MS,
    alter: ({ request }) => void Object.assign(request, FAILED),
    spoil: deleteFromClosing,
    findings: deleted,
  },
} as const satisfies Record<string, Fault>;

function alterClosing(exhibits: Exhibits, { request }: Site): void {
  replaceInClosing(exhibits, request, forge);
}

function replaceInClosing(exhibits: Exhibits, { id }: Request, change: (item: Item) => Item): void {
  exhibits.closingLedger = exhibits.closingLedger.map((item) =>
    item["record_id"]?.S === id ? change(item) : item,
  );
}

function deleteFromClosing(exhibits: Exhibits, { request }: Site): void {
  exhibits.closingLedger = exhibits.closingLedger.filter(
    (item) => item["record_id"]?.S !== request.id,
  );
}

/** The text that `sql/views/usage.sql` makes of a record. */
function content(request: Request): string {
  const { outcome, service, itemCount, multiplier, charge, reserved, keyId, nonce } = request;
  const { keyHash, requestHash } = request.idempotency ?? {};
  const under = keyHash === undefined ? "" : `, under ${keyHash} for ${requestHash}`;
  return (
    `${outcome} ${service}, ${itemCount} items at ${multiplier}, charge ${charge} of ${reserved}, ` +
    `${keyId}, nonce ${nonce}, by request at ${new Date(request.recordedMs).toISOString()}${under}`
  );
}
