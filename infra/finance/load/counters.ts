import { SERVICES } from "../../../src/contract/schemas.ts";
import { counterOf } from "../../../src/credits/items.ts";

/** The accounts' attributes that count open holds, one for each service. */
export const COUNTERS = SERVICES.map(counterOf);
