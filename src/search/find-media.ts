import { failed, type Result } from "../contract/result.ts";
import type { Trace } from "../log/request-line.ts";
import { describeThrown } from "../log/scrub.ts";
import { type Found, type SearchOptions, search } from "./search.ts";

/** What a search is for, and how it is made. */
export type Wanted = Omit<SearchOptions, "note">;

/**
 * The search as a stage of one request: timed, noted in its log line, and without an exception.
 * Whatever goes wrong, the hold must be settled.
 */
export function findMedia(trace: Trace, wanted: Wanted): Promise<Result<Found>> {
  return trace.time("resolve", () => tryToFind(trace, wanted));
}

async function tryToFind(trace: Trace, wanted: Wanted): Promise<Result<Found>> {
  try {
    const log: Wanted["log"] = (entry) => wanted.log({ request_id: trace.requestId, ...entry });
    const found = await search({ ...wanted, log, note: trace.note });
    if (found.ok) trace.note({ source: found.value.source });
    // Nobody would read the answer, so nobody pays for it.
    const isUnread = found.ok && wanted.signal.aborted;
    return isUnread ? failed("UPSTREAM_ERROR", "the client has gone") : found;
  } catch (error) {
    return failed("UPSTREAM_ERROR", `exception: ${describeThrown(error)}`);
  }
}
