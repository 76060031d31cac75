import * as z from "zod/mini";
import { optionalUrl, text } from "../runtime/variables.ts";

const region = z.string().check(z.regex(/^[a-z0-9-]+$/, "is no region"));

/** Partitions whose hosts do not end in amazonaws.com. */
const REGION_ELSEWHERE = /^(?:cn|eusc|us-iso\w*|eu-iso\w*)-/;

/** The variables of the tables. */
export const storeSettingsSchema = z
  .object({
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: text,
    AWS_SECRET_ACCESS_KEY: text,
    ACCOUNTS_TABLE: text,
    API_KEYS_TABLE: text,
    LEDGER_TABLE: text,
    DYNAMODB_ENDPOINT: optionalUrl,
  })
  .check(
    z.refine(
      ({ AWS_REGION, DYNAMODB_ENDPOINT }) =>
        DYNAMODB_ENDPOINT !== null || !REGION_ELSEWHERE.test(AWS_REGION),
      { path: ["DYNAMODB_ENDPOINT"], error: "is needed for a region outside amazonaws.com" },
    ),
  );
export type StoreSettings = z.infer<typeof storeSettingsSchema>;
