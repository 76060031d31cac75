import { describe, expect, it } from "vitest";
import type * as client from "../../../infra/clients/typescript/src/contract.ts";
import { isErrorCode } from "../../../infra/clients/typescript/src/errors.ts";
import { isService } from "../../../infra/clients/typescript/src/services.ts";
import { ERRORS, type ErrorCode } from "../../../src/contract/errors.ts";
import { type ResolveResponse, SERVICES, type Service } from "../../../src/contract/schemas.ts";

/** The compiler refuses this file when one type is not the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
interface Writable extends Omit<ResolveResponse, "items"> {
  readonly items: readonly ResolveResponse["items"][number][];
}
const same: readonly [
  Same<client.Service, Service>,
  Same<client.ErrorCode, ErrorCode>,
  Same<client.ResolveResponse, Readonly<Writable>>,
] = [true, true, true];

describe("the client", () => {
  it("knows each service and each error code of the contract, and no other", () => {
    expect(same).toEqual([true, true, true]);
    expect(SERVICES.filter(isService)).toEqual(SERVICES);
    expect(isService("photo")).toBe(false);
    const codes = Object.keys(ERRORS);
    expect(codes.filter(isErrorCode)).toEqual(codes);
    expect(["UNKNOWN", "constructor", "toString", ""].filter(isErrorCode)).toEqual([]);
  });
});
