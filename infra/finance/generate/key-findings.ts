import type { Finding } from "../prove/findings.ts";
import type { Request } from "./life.ts";

/** A key with records on two accounts. @param charge what is charged on the last one in order */
export function sharedKey(
  keyId: string,
  [first, last]: readonly [string, string],
  charge: number,
): Finding {
  const found = `${keyId} also on ${last}, with charges of ${charge} there`;
  const expected = `${keyId} on one account`;
  return { check: "key_shared", account: first, request: null, expected, found };
}

/** A charge on an account that does not have its key. */
export function foreignKey(
  { id, keyId, charge }: Pick<Request, "id" | "keyId" | "charge">,
  account: string,
  owner: string,
): Finding {
  const expected = `account ${owner}, which has that key`;
  const found = `a charge of ${charge} under ${keyId}`;
  return { check: "key_account", account, request: id, expected, found };
}
