import { readSql } from "../load/sql.ts";

/** A service and its credits per item. */
type Price = readonly [service: string, multiplier: number];

/** Every service of `sql/views/services.sql`: a generated month has requests of each. */
export const SERVICES = readPrices(readSql("views/services"));

function readPrices(sql: string): readonly Price[] {
  return [...sql.matchAll(/\('([\w-]+)', (\d+)\)/g)].map(
    ([, service = "", multiplier]): Price => [service, Number(multiplier)],
  );
}
