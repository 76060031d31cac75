import { describe, expect, it } from "vitest";
import prices from "../../../infra/finance/sql/views/services.sql?raw";
import { SERVICES } from "../../../src/contract/schemas.ts";
import { RESOLVERS } from "../../support/resolvers.ts";

describe("finance's own copy of the services and their credits per item", () => {
  it("agrees with the registry", () => {
    const copied = [...prices.matchAll(/\('([\w-]+)', (\d+)\)/g)].map(([, service, multiplier]) => [
      service,
      Number(multiplier),
    ]);
    expect(copied).toEqual(SERVICES.map((name) => [name, RESOLVERS[name].multiplier]));
  });
});
