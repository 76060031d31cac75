import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import {
  ADDRESS_LIMIT_REQUESTS,
  findAddressBinding,
  networkOf,
  openAddressLimiter,
} from "../../../src/limiter/address.ts";
import { createClock } from "../../support/service.ts";

describe("a client address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["2001:DB8:0:0:ffff::2", "2001:db8:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["::1", "0:0:0:0"],
    ["2001:0db8:0001::", "2001:db8:1:0"],
  ])("%s is counted as %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it("is counted by the isolate alone where there is no binding", async () => {
    const clock = createClock();
    const mayAsk = openAddressLimiter(null, clock.now);
    for (let at = 0; at < ADDRESS_LIMIT_REQUESTS; at++)
      expect(await mayAsk("192.0.2.1")).toBe(true);
    expect(await mayAsk("192.0.2.1")).toBe(false);
    expect(await mayAsk("192.0.2.2")).toBe(true);
    clock.pass(60_000);
    expect(await mayAsk("192.0.2.1")).toBe(true);
  });

  it("is refused when the location's count says so", async () => {
    const keys: string[] = [];
    const limit = async ({ key }: { key: string }) => {
      keys.push(key);
      return { success: false };
    };
    expect(await openAddressLimiter({ limit }, () => 0)("2001:db8::1")).toBe(false);
    expect(keys).toEqual(["2001:db8:0:0"]);
  });

  it("is let through while the location's count fails", async () => {
    const limit = () => Promise.reject(new Error("down"));
    expect(await openAddressLimiter({ limit }, () => 0)("192.0.2.1")).toBe(true);
  });

  it("that is not there is not counted", async () => {
    const mayAsk = openAddressLimiter(null, () => 0);
    for (let at = 0; at < 2 * ADDRESS_LIMIT_REQUESTS; at++) expect(await mayAsk(null)).toBe(true);
  });
});

describe("the binding of wrangler.toml", () => {
  it("is found, and counts up to the same limit", async () => {
    const binding = findAddressBinding(env);
    const minute = () => Math.floor(Date.now() / 60_000);
    const count = async (key: string) => {
      let passed = 0;
      for (let at = 0; at < ADDRESS_LIMIT_REQUESTS + 5; at++) {
        if ((await binding?.limit({ key }))?.success) passed++;
      }
      return passed;
    };
    const begun = minute();
    const passed = await count("198.51.100.7");
    // It counts by minutes of the clock: over the end of one it begins again.
    const counted = minute() === begun ? passed : await count("198.51.100.8");
    expect(counted).toBe(ADDRESS_LIMIT_REQUESTS);
  });

  it.each([undefined, null, "env", {}, { ADDRESS_LIMIT: null }, { ADDRESS_LIMIT: { limit: 1 } }])(
    "is none in %j",
    (bindings) => {
      expect(findAddressBinding(bindings)).toBeNull();
    },
  );
});
