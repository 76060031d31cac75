import { CLOSING_MS, NEVER_MS, OPENING_MS } from "./calendar.ts";
import {
  amountOf,
  backdated,
  dateOf,
  OPENED,
  onRecord,
  openingFinding,
  recordIn,
} from "./date-findings.ts";
import {
  changeRecord,
  type Fault,
  HOUR_MS,
  JUST_BEFORE_CLOSING_MS,
  MID_MONTH_MS,
  ON_THE_DAY_MS,
  onAccount,
  onRequest,
} from "./fault.ts";
import { iso } from "./image.ts";
import { planTopUp, purchaseOf } from "./planted.ts";

/** Reservations and top-ups under way that end wrongly, and accounts that pretend to be others. */
export const HOLD_FAULTS = {
  hold_without_end: {
    name: "Reservation that ends in a year",
    plantedMs: JUST_BEFORE_CLOSING_MS,
    alter: ({ request }) => {
      const never = { recordedMs: NEVER_MS, releasedMs: NEVER_MS };
      Object.assign(request, never, { expiresMs: CLOSING_MS + 8_760 * HOUR_MS });
    },
    findings: onRequest(
      "hold_life",
      "an end within 240 s of the export",
      "a hold of 10, which ends 31536000 s after it",
    ),
  },
  hold_without_record: {
    name: "Reservation ended without a record",
    plantedMs: OPENING_MS - 60_000,
    alter: ({ request }) => {
      const unpaid = { charge: 0, itemCount: 0, outcome: "UPSTREAM_ERROR" };
      Object.assign(request, unpaid, { recordedMs: NEVER_MS, releasedMs: OPENING_MS + HOUR_MS });
    },
    findings: onRequest("hold_unsettled", "a record for the hold of 10", "neither hold nor record"),
  },
  topup_without_record: {
    name: "Paid top-up that was dropped",
    plantedMs: MID_MONTH_MS,
    alter: (site) => {
      const topUp = planTopUp(site, { credits: 500, atMs: OPENING_MS - 50 });
      Object.assign(topUp, { recordedMs: NEVER_MS, concludedMs: NEVER_MS });
    },
    spoil: ({ closing }, site) => {
      delete closing?.["pending"]?.M?.[purchaseOf(site)];
    },
    findings: (_, site) => [
      {
        check: "topup_unsettled",
        account: site.life.account,
        request: purchaseOf(site),
        expected: "a record of 500 credits",
        found: "neither announcement nor record",
      },
    ],
  },
  topup_raised_under_way: {
    name: "Top-up under way raised above its record",
    plantedMs: MID_MONTH_MS,
    alter: (site) => {
      const topUp = planTopUp(site, { credits: 500, atMs: CLOSING_MS - 50 });
      Object.assign(topUp, { concludedMs: NEVER_MS });
    },
    spoil: ({ closing }, site) => {
      const pending = closing?.["pending"]?.M?.[purchaseOf(site)]?.M;
      if (pending !== undefined) pending["n"] = { N: "900" };
    },
    findings: (_, site) => [
      {
        check: "pending_amount",
        account: site.life.account,
        request: purchaseOf(site),
        expected: "500 credits",
        found: "900 credits",
      },
    ],
  },
  account_twice: {
    name: "Account listed twice",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits) => {
      if (exhibits.closing === null) return;
      exhibits.more.push({ ...exhibits.closing, holds: { M: {} }, pending: { M: {} } });
    },
    findings: ({ closing }, site) => {
      const balance = Number(closing?.["available"]?.N) + Number(closing?.["held"]?.N);
      const found = `2 balances of ${2 * balance} credits`;
      return [onAccount(site, "account_duplicate", "1 balance", found)];
    },
  },
  account_hidden: {
    name: "Account kept out of the opening export",
    plantedMs: MID_MONTH_MS,
    spoil: (exhibits) => void Object.assign(exhibits, { opening: null, openingLedger: [] }),
    findings: ({ closing, closingLedger }, site) => {
      const old = closingLedger.filter((item) => Date.parse(dateOf(item)) <= OPENING_MS - 1_000);
      const dated = old.reduce(
        (sum, { credits, charge }) => sum + Number(credits?.N ?? 0) - Number(charge?.N ?? 0),
        0,
      );
      const balance = Number(closing?.["available"]?.N) + Number(closing?.["held"]?.N);
      const found = `an account that began at ${iso(site.life.createdMs)}, with ${balance} credits`;
      return [
        onAccount(site, "account_backdated", `in the export of ${OPENED}`, found),
        openingFinding(site, 0, dated),
        ...old.map(backdated),
      ];
    },
  },
  account_begun_earlier: {
    name: "Account's beginning rewritten",
    plantedMs: MID_MONTH_MS,
    spoil: ({ closing }, { life }) => {
      if (closing !== null) closing["created_at"] = { S: iso(life.createdMs - HOUR_MS) };
    },
    findings: ({ closing }, site) => {
      const by = `by email#${site.life.account}`;
      const balance = Number(closing?.["available"]?.N) + Number(closing?.["held"]?.N);
      const found = `begun ${iso(site.life.createdMs - HOUR_MS)} ${by}, with ${balance} credits`;
      return [onAccount(site, "account_altered", `begun ${iso(site.life.createdMs)} ${by}`, found)];
    },
  },
  account_of_another_holder: {
    name: "Account given to another holder",
    plantedMs: MID_MONTH_MS,
    spoil: ({ closing }) => {
      if (closing !== null) closing["email_claim"] = { S: "email#thief" };
    },
    findings: ({ closing }, site) => {
      const begun = `begun ${iso(site.life.createdMs)} by`;
      const balance = Number(closing?.["available"]?.N) + Number(closing?.["held"]?.N);
      const found = `${begun} email#thief, with ${balance} credits`;
      const expected = `${begun} email#${site.life.account}`;
      return [onAccount(site, "account_altered", expected, found)];
    },
  },
  purchase_dated_after_it_was_written: {
    name: "Purchase dated hours after it was written",
    plantedMs: ON_THE_DAY_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: ON_THE_DAY_MS }),
    spoil: (exhibits, site) => {
      const created_at = { S: iso(ON_THE_DAY_MS + 6 * HOUR_MS) };
      const id = purchaseOf(site);
      exhibits.closingLedger = changeRecord(exhibits.closingLedger, id, (item) => ({
        ...item,
        created_at,
      }));
      exhibits.dayLedger = exhibits.dayLedger.map((entry) =>
        entry.item["record_id"]?.S === id
          ? { ...entry, item: { ...entry.item, created_at } }
          : entry,
      );
    },
    findings: (exhibits, site) => {
      const item = recordIn(exhibits, purchaseOf(site));
      const found = `${amountOf(item)} dated ${item["created_at"]?.S}, written -21600 s after that`;
      return [onRecord(item, "record_written", "at most 60 s after its date", found)];
    },
  },
} as const satisfies Record<string, Fault>;
