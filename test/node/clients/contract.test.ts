import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { isErrorCode } from "../../../infra/clients/typescript/src/contract/errors.ts";
import { isService } from "../../../infra/clients/typescript/src/services/services.ts";
import { ERRORS } from "../../../src/contract/errors.ts";
import { SERVICES } from "../../../src/contract/schemas.ts";

const union = (names: readonly string[]) => names.map((name) => `"${name}"`).join(" | ");

describe("the client", () => {
  it("knows each service and each error code of the contract, and no other", () => {
    expect(SERVICES.filter(isService)).toEqual(SERVICES);
    expect(["photo", "constructor", ""].filter(isService)).toEqual([]);
    const codes = Object.keys(ERRORS);
    expect(codes.filter(isErrorCode)).toEqual(codes);
    expect(["UNKNOWN", "constructor", "toString", ""].filter(isErrorCode)).toEqual([]);
  });

  it("has the types of this contract; `npm run clients:types` writes them", async () => {
    const types = await readFile("infra/clients/typescript/src/contract/openapi.ts", "utf8");
    expect(types).toContain(`readonly Service: ${union(SERVICES)};`);
    expect(types).toContain(`readonly code: ${union(Object.keys(ERRORS))};`);
  });
});
