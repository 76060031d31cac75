import { expect, it } from "vitest";
import { measureTail } from "../bench/tail.ts";

it("hedging keeps the tail short and asks hardly more of healthy upstreams", async () => {
  const { figures } = await measureTail();
  expect(figures["tail_calls_ratio"]).toBeLessThanOrEqual(1.01);
  expect(figures["tail_more_paid_calls"]).toBe(0);
  expect(figures["tail_p999_over_delay"]).toBeLessThanOrEqual(2);
}, 60_000);
