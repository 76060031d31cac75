import { userInfo } from "node:os";
import { person } from "../options.ts";

/** The option that says who moves credits. Commander asks for it where the machine has no name. */
export const BY = ["--by <name>", "who does it, for the ledger", person, userName()] as const;

/** The name of the machine's user; undefined where it has none that the ledger takes. */
function userName(): string | undefined {
  try {
    return person(userInfo().username);
  } catch {
    return undefined;
  }
}
