import * as z from "zod/mini";
import { optional } from "../runtime/variables.ts";
import { readMacKey } from "./record-mac.ts";

const macKey = z.pipe(
  z
    .string()
    .check(
      z.refine((text) => readMacKey(text) !== null, "must be an id, a colon and 64 hex digits"),
    ),
  z.transform(readMacKey),
);

/** The variables of the ledger. */
export const creditsSettingsSchema = z.object({
  LEDGER_MAC_KEY: z.pipe(optional, z.nullable(macKey)),
});
