import * as z from "zod";
import { uuidTimeMs } from "../../src/runtime/uuid-time.ts";
import type { Moved } from "../finance/money/order.ts";
import type { Tables } from "../tables/tables.ts";
import { type Answer, answer, unreachable } from "../terminal/answer.ts";
import { monthsFrom, partition } from "./partitions.ts";

const text = z.object({ S: z.string() }).transform(({ S }) => S);
const integer = z.object({ N: z.string() }).transform(({ N }) => Number(N));

const movedSchema = z.object({
  record_id: text,
  kind: text.pipe(z.enum(["grant", "purchase", "adjustment"])),
  reference: text,
  credits: integer,
  refunds: text.optional(),
  created_at: text,
});
const usageSchema = z.object({ record_id: text, charge: integer, settled_at: text });

/**
 * Reads all top-ups of an account and all its usage, of which it keeps only sums: as much memory as
 * there are top-ups.
 */
export async function readMovements(tables: Tables, account: string): Promise<Answer<Moved[]>> {
  try {
    const records: z.infer<typeof movedSchema>[] = [];
    for await (const item of partition(tables, `${account}#credits`)) {
      records.push(movedSchema.parse(item));
    }
    const moved = records
      .map((one) => ({ ...one, atMs: Date.parse(one.created_at) }))
      .sort((a, b) => a.atMs - b.atMs || (a.record_id < b.record_id ? -1 : 1));
    const times = moved.map(({ atMs }) => atMs);
    const used = await usedBetween(tables, account, times);
    let usedBefore = 0;
    const movements = moved.map(({ kind, reference, credits, refunds = null }, at) => {
      usedBefore += used[at] ?? 0;
      return { kind, reference, credits, refunds, usedBefore };
    });
    return answer(movements);
  } catch (error) {
    return unreachable(error instanceof Error ? error.name : String(error));
  }
}

/** What requests used before the first time, and from each time to the next. */
async function usedBetween(tables: Tables, account: string, times: readonly number[]) {
  const used = times.map(() => 0);
  const [firstMs = Date.now()] = times;
  for (const month of monthsFrom(firstMs)) {
    for await (const item of partition(tables, `${account}#${month}`)) {
      const { charge, settled_at, record_id } = usageSchema.parse(item);
      const at = countUpTo(times, Math.min(Date.parse(settled_at), monthEndMs(record_id)));
      if (at < used.length) used[at] = (used[at] ?? 0) + charge;
    }
  }
  return used;
}

/** How many of the times, which are in order, are not after that one. */
function countUpTo(times: readonly number[], atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A charge belongs to the month of its request id, as in `infra/finance/sql/money/uses.sql`. */
function monthEndMs(requestId: string): number {
  const started = new Date(uuidTimeMs(requestId));
  return Date.UTC(started.getUTCFullYear(), started.getUTCMonth() + 1) - 1;
}
