import { ACCOUNT_FAULTS } from "./account-faults.ts";
import type { Fault } from "./fault.ts";
import { RECORD_FAULTS } from "./record-faults.ts";
import { TAMPERING_FAULTS } from "./tampering-faults.ts";

/** Every kind of fault, in the order in which they are planted. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  ...ACCOUNT_FAULTS,
  ...RECORD_FAULTS,
  ...TAMPERING_FAULTS,
};
