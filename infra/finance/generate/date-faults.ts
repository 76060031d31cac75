import type { Item } from "../../../src/store/dynamodb.ts";
import { CLOSING_MS, DAY_END_MS, OPENING_MS } from "./calendar.ts";
import {
  amountOf,
  backdated,
  dateOf,
  IN_TIME,
  OPENED,
  ofTheFuture,
  onRecord,
  openingFinding,
  outOfOrder,
  recordIn,
} from "./date-findings.ts";
import type { Exhibits } from "./exhibits.ts";
import {
  BEFORE_OPENING_MS,
  changeRecord,
  type Fault,
  HOUR_MS,
  MID_MONTH_MS,
  onRequest,
  type Site,
} from "./fault.ts";
import { balancesAt, iso } from "./image.ts";
import type { Request } from "./life.ts";
import { planTopUp, purchaseOf, requestIdAt } from "./planted.ts";

/** The last second of the month before. */
const LAST_SECOND_MS = OPENING_MS - 1_000;

/** A usage record whose closing export has another date. */
const redated = (name: string, toMs: number, findings: Fault["findings"]): Fault => ({
  name,
  plantedMs: MID_MONTH_MS,
  spoil: (exhibits, { request }) => settledAt(exhibits, request, toMs),
  findings,
});

/** A request whose number and times are altered, and a record and an account that agree with them. */
const renumbered = (name: string, idMs: number, findings: Fault["findings"]): Fault => ({
  name,
  plantedMs: MID_MONTH_MS,
  alter: ({ request }) => {
    request.id = requestIdAt(idMs, request.id);
  },
  findings,
});

/** A top-up of the month whose closing export has another date. */
const redatedTopUp = (name: string, credits: number, findings: Fault["findings"]): Fault => ({
  name,
  plantedMs: MID_MONTH_MS,
  alter: (site) => void planTopUp(site, { credits, atMs: MID_MONTH_MS }),
  spoil: (exhibits, site) => createdAt(exhibits, site, iso(LAST_SECOND_MS)),
  findings,
  keyFindings: claimLate,
});

/** Records with false dates. The accounts agree with the amounts. */
export const DATE_FAULTS = {
  purchase_dated_back: redatedTopUp("Purchase dated into the month before", 500, movedOpening),
  adjustment_dated_back: redatedTopUp("Adjustment dated into the month before", -7, movedOpening),
  purchase_dated_ahead: {
    name: "Purchase dated into the next month",
    plantedMs: MID_MONTH_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: MID_MONTH_MS }),
    spoil: (exhibits, site) => createdAt(exhibits, site, iso(CLOSING_MS + 24 * HOUR_MS)),
    findings: (exhibits, site) => [ofTheFuture(topUpIn(exhibits, site))],
  },
  purchase_moved_into_month: {
    name: "Purchase of the month before dated into the month, in both exports",
    plantedMs: BEFORE_OPENING_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: BEFORE_OPENING_MS }),
    spoil: (exhibits, site) => {
      createdAt(exhibits, site, iso(DAY_END_MS));
      exhibits.openingLedger = changeRecord(exhibits.openingLedger, purchaseOf(site), (item) =>
        created(item, iso(DAY_END_MS)),
      );
    },
    findings: (exhibits, site) => {
      const item = topUpIn(exhibits, site);
      const expected = `a date up to the export of ${OPENED}, which has it`;
      const found = `a purchase of 500 credits dated ${dateOf(item)}`;
      return [onRecord(item, "record_ahead", expected, found)];
    },
  },
  purchase_before_account: {
    name: "Purchase from before its account",
    plantedMs: BEFORE_OPENING_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: BEFORE_OPENING_MS }),
    spoil: (exhibits, site) => {
      const date = "2026-08-15T12:00:00.000Z";
      createdAt(exhibits, site, date);
      exhibits.openingLedger = changeRecord(exhibits.openingLedger, purchaseOf(site), (item) =>
        created(item, date),
      );
    },
    findings: (exhibits, site) => {
      const item = topUpIn(exhibits, site);
      const expected = `nothing before the account began at ${iso(site.life.createdMs)}`;
      const found = `a purchase of 500 credits dated ${dateOf(item)}`;
      return [onRecord(item, "before_account", expected, found)];
    },
    keyFindings: claimLate,
  },
  date_in_a_foreign_form: {
    name: "Date written in a foreign form",
    plantedMs: MID_MONTH_MS,
    alter: (site) => void planTopUp(site, { credits: 500, atMs: MID_MONTH_MS }),
    spoil: (exhibits, site) => createdAt(exhibits, site, "2026-10-20 12:00:00"),
    findings: (exhibits, site) => {
      const item = topUpIn(exhibits, site);
      const expected = "a time as in 2026-10-31T12:00:00.000Z";
      const found = "a purchase of 500 credits dated 2026-10-20 12:00:00";
      return [onRecord(item, "time_form", expected, found)];
    },
  },
  charge_dated_back: redated(
    "Charge dated into the month before",
    LAST_SECOND_MS,
    (exhibits, site) => {
      const item = recordIn(exhibits, site.request.id);
      const seconds = Math.floor((LAST_SECOND_MS - site.request.heldMs) / 1000);
      return [
        backdated(item),
        outOfOrder(item, IN_TIME, seconds),
        ...movedBy(site, -site.request.charge),
      ];
    },
  ),
  charge_dated_ahead: redated(
    "Charge dated after the export",
    CLOSING_MS + HOUR_MS,
    (exhibits, { request }) => {
      const item = recordIn(exhibits, request.id);
      const seconds = Math.floor((CLOSING_MS + HOUR_MS - request.heldMs) / 1000);
      return [ofTheFuture(item), outOfOrder(item, IN_TIME, seconds)];
    },
  ),
  settled_before_it_began: redated(
    "Request settled before it began",
    MID_MONTH_MS - HOUR_MS,
    (exhibits, { request }) => [outOfOrder(recordIn(exhibits, request.id), IN_TIME, -3600)],
  ),
  settled_much_later: redated(
    "Request settled an hour after it began",
    MID_MONTH_MS + HOUR_MS,
    (exhibits, { request }) => [outOfOrder(recordIn(exhibits, request.id), IN_TIME, 3600)],
  ),
  swept_at_once: {
    name: "Request given up by the sweep within its first minute",
    plantedMs: MID_MONTH_MS,
    alter: ({ request }) => {
      const nothing = { abandoned: true, outcome: "ABANDONED", itemCount: 0, charge: 0 };
      Object.assign(request, nothing);
    },
    findings: (exhibits, { request }) => {
      const expected = "a settlement by the sweep at least 60 s after the beginning";
      return [outOfOrder(recordIn(exhibits, request.id), expected, 1)];
    },
  },
  request_of_the_month_before: {
    ...renumbered(
      "Request renumbered into the month before",
      BEFORE_OPENING_MS,
      (exhibits, site) => {
        const item = recordIn(exhibits, site.request.id);
        return [backdated(item), ...movedBy(site, -site.request.charge)];
      },
    ),
    spoil: (exhibits, { request }) => settledAt(exhibits, request, BEFORE_OPENING_MS + 1_000),
  },
  request_of_the_future: renumbered(
    "Request renumbered into the next month",
    CLOSING_MS + 24 * HOUR_MS,
    (exhibits, site) => {
      const item = recordIn(exhibits, site.request.id);
      const early = Math.floor((MID_MONTH_MS + 1_000 - CLOSING_MS - 24 * HOUR_MS) / 1000);
      return [
        ...onRequest(
          "request_future",
          `a number from before the export of ${iso(CLOSING_MS).slice(0, 19)}Z`,
          "a number of 86400 s after it, and a charge of 3",
        )(exhibits, site),
        outOfOrder(item, IN_TIME, early),
      ];
    },
  ),
} as const satisfies Record<string, Fault>;

function settledAt(exhibits: Exhibits, { id }: Request, timeMs: number): void {
  exhibits.closingLedger = changeRecord(exhibits.closingLedger, id, (item) => ({
    ...item,
    settled_at: { S: iso(timeMs) },
  }));
}

function createdAt(exhibits: Exhibits, site: Site, date: string): void {
  exhibits.closingLedger = changeRecord(exhibits.closingLedger, purchaseOf(site), (item) =>
    created(item, date),
  );
}

function created(item: Item, date: string): Item {
  return { ...item, created_at: { S: date } };
}

function topUpIn(exhibits: Exhibits, site: Site): Item {
  return recordIn(exhibits, purchaseOf(site));
}

/** What the records say is before the opening is more or less than the opening export has. */
function movedBy(site: Site, credits: number) {
  const { available, held } = balancesAt(site.life, OPENING_MS);
  return [openingFinding(site, available + held, available + held + credits)];
}

function movedOpening(exhibits: Exhibits, site: Site) {
  const item = topUpIn(exhibits, site);
  return [backdated(item), ...movedBy(site, Number(item["credits"]?.N))];
}

function claimLate(exhibits: Exhibits, site: Site) {
  const item = topUpIn(exhibits, site);
  const { reference } = item;
  const topUp = site.life.topUps.find((one) => one.reference === reference?.S);
  const expected = `a date after its claim at ${iso(topUp?.announcedMs ?? 0)}`;
  const found = `${amountOf(item)} dated ${dateOf(item)}`;
  return [onRecord(item, "claim_late", expected, found)];
}
