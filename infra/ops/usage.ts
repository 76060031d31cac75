import { paginateScan, QueryCommand } from "@aws-sdk/client-dynamodb";
import { ledgerKey } from "../../src/credits/items.ts";
import { dayOf } from "../../src/idempotency/attempt-id.ts";
import { EDGE_MS } from "../../src/idempotency/attempts.ts";
import { uuidTimeMs } from "../../src/runtime/uuid-time.ts";
import type { Item } from "../../src/store/dynamodb.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, problem, unreachable } from "../terminal/answer.ts";
import { readAccountItem } from "./account-item.ts";

/** A usage record as the operator sees it; credits in whole numbers. */
export interface UsageView {
  readonly request_id: string;
  /** Under an Idempotency-Key the moment of settlement: such an id has the day alone. */
  readonly requested_at: string;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly service: string | null;
  readonly outcome: string;
  readonly reserved: number;
  readonly item_count: number;
  readonly charge: number;
  readonly settled_by: string;
  readonly settled_at: string;
  /** Hash of a request's Idempotency-Key. Null without one, and where the sweep wrote the record. */
  readonly idempotency_key: string | null;
}

export interface UsageQuery {
  readonly account: string;
  /** The older end; both ends are included. */
  readonly from: Date;
  readonly to: Date;
  readonly service?: string;
  readonly outcome?: string;
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: string;
}

export interface UsagePage {
  readonly records: readonly UsageView[];
  /** For `--after`. Null on the last page. */
  readonly next: string | null;
}

/** Usage of an account, newest first; under an Idempotency-Key at the end of the day. */
export async function listUsage(tables: Tables, wanted: UsageQuery): Promise<Answer<UsagePage>> {
  const owner = await readAccountItem(tables, wanted.account);
  if (!owner.ok) return owner;
  const records: UsageView[] = [];
  try {
    for await (const record of usageOf(tables, wanted)) {
      if (records.length === wanted.limit) {
        return answer({ records, next: records.at(-1)?.request_id ?? null });
      }
      records.push(record);
    }
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
  return answer({ records, next: null });
}

async function* usageOf(tables: Tables, wanted: UsageQuery): AsyncGenerator<UsageView> {
  for (const month of monthsBackFrom(wanted.to, new Date(oldestIdMs(wanted)))) {
    yield* monthOfUsage(tables, wanted, month);
  }
}

async function* monthOfUsage(tables: Tables, wanted: UsageQuery, month: string) {
  let start: Item | undefined;
  do {
    const page = await tables.client.send(
      new QueryCommand({
        TableName: tables.ledger,
        KeyConditionExpression: "account_period = :period AND record_id BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":period": { S: `${wanted.account}#${month}` },
          ":from": { S: idAt(oldestIdMs(wanted)) },
          ":to": { S: wanted.after ?? idAt(wanted.to.getTime() + 1) },
        },
        ScanIndexForward: false,
        ConsistentRead: true,
        ...(start !== undefined && { ExclusiveStartKey: start }),
      }),
    );
    for (const item of page.Items ?? []) {
      const record = viewUsage(item);
      if (record.request_id !== wanted.after && matches(record, wanted)) yield record;
    }
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

/** A request under an Idempotency-Key has an id of the start of the day in which it began. */
function oldestIdMs({ from }: UsageQuery): number {
  return dayOf(from.getTime() - EDGE_MS);
}

function matches(record: UsageView, { from, to, service, outcome }: UsageQuery): boolean {
  const atMs = Date.parse(record.requested_at);
  if (atMs < from.getTime() || atMs > to.getTime()) return false;
  if (service !== undefined && record.service !== service) return false;
  return outcome === undefined || record.outcome === outcome;
}

/** The first request id of a millisecond: ids are UUIDv7 and sort by time. */
function idAt(sinceEpochMs: number): string {
  const hex = sinceEpochMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

function* monthsBackFrom(to: Date, from: Date): Generator<string> {
  const month = new Date(Date.UTC(to.getUTCFullYear(), to.getUTCMonth()));
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth());
  for (; month.getTime() >= first; month.setUTCMonth(month.getUTCMonth() - 1)) {
    yield month.toISOString().slice(0, 7);
  }
}

/**
 * Finds the record of one request. Without the account, it looks in every account: an index by
 * request would cost each request a fourth write.
 */
export async function showUsage(
  tables: Tables,
  { requestId, account }: { requestId: string; account?: string },
): Promise<Answer<UsageView>> {
  try {
    const names = account === undefined ? accountNames(tables) : [account];
    for await (const name of names) {
      const address = { TableName: tables.ledger, Key: ledgerKey(name, requestId) };
      const found = await tables.dynamo.read(address);
      if (found.outcome === "unknown") return unreachable(found.cause);
      if (found.item !== null) return answer(viewUsage(found.item));
    }
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
  return problem(
    `No usage record has the request id ${requestId}. Requests that were refused before they ` +
      "reserved credits (400, 401, 402, 429) leave none.",
  );
}

async function* accountNames({ client, accounts }: Tables): AsyncGenerator<string> {
  const pages = paginateScan({ client }, { TableName: accounts, ProjectionExpression: "account" });
  for await (const { Items = [] } of pages) {
    for (const item of Items) if (item["account"]?.S !== undefined) yield item["account"].S;
  }
}

function viewUsage(item: Item): UsageView {
  const text = (name: string) => item[name]?.S ?? "";
  const number = (name: string) => Number(item[name]?.N ?? 0);
  const requestId = text("record_id");
  const idMs = uuidTimeMs(requestId);
  // Also where the sweep wrote the record, which then names no key.
  const isKeyed = idMs === dayOf(idMs);
  return {
    request_id: requestId,
    requested_at: isKeyed ? text("settled_at") : new Date(idMs).toISOString(),
    account_id: text("account"),
    key_id: item["key_id"]?.S ?? null,
    service: item["service"]?.S ?? null,
    outcome: text("outcome"),
    reserved: number("reserved"),
    item_count: number("item_count"),
    charge: number("charge"),
    settled_by: text("settled_by"),
    settled_at: text("settled_at"),
    idempotency_key: item["idempotency_key"]?.S ?? null,
  };
}
