import { ACCOUNT_FAULTS } from "./account-faults.ts";
import { CHARGE_FAULTS } from "./charge-faults.ts";
import { DATE_FAULTS } from "./date-faults.ts";
import type { Fault } from "./fault.ts";
import { HOLD_FAULTS } from "./hold-faults.ts";
import { RECORD_FAULTS } from "./record-faults.ts";
import { TAMPERING_FAULTS } from "./tampering-faults.ts";
import { TOPUP_FAULTS } from "./topup-faults.ts";

/** The catalogue: every kind of fault, in the order in which they are planted. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  ...ACCOUNT_FAULTS,
  ...RECORD_FAULTS,
  ...TAMPERING_FAULTS,
  ...DATE_FAULTS,
  ...CHARGE_FAULTS,
  ...TOPUP_FAULTS,
  ...HOLD_FAULTS,
};
