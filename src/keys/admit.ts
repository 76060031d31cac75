import { failed, type Result, success } from "../contract/result.ts";
import type { AddressLimiter } from "../limiter/address.ts";
import {
  LIMIT_WINDOW_SECONDS,
  type Limiter,
  resetSeconds,
  type Verdict,
} from "../limiter/limiter.ts";
import type { Trace } from "../log/request-line.ts";
import type { Dynamo } from "../store/dynamodb.ts";
import { type Fingerprint, fingerprint, isApiKeyShaped } from "./api-key.ts";
import type { KeyMemory } from "./key-memory.ts";
import { type ApiKey, type KeyLookup, lookUpKey } from "./lookup.ts";

/** What it takes to decide whether a request may go on. */
export interface Doorkeeper {
  readonly dynamo: Dynamo;
  readonly apiKeysTable: string;
  readonly limiter: Limiter;
  readonly addressLimiter: AddressLimiter;
  readonly keyMemory: KeyMemory;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What a request brings along. */
export interface Arrival {
  readonly authorization: string | undefined;
  /** The client's, as Cloudflare has it; null where that is not in front. */
  readonly address: string | null;
  readonly readBody: () => Promise<Result<string>>;
}

export interface Caller {
  readonly key: ApiKey;
  readonly body: string;
}

/** The verdict is null if the request did not reach the limiter. */
interface Decision {
  readonly caller: Result<Caller>;
  readonly verdict: Verdict | null;
}

export interface Admission extends Decision {
  /** When the key ends, in milliseconds since 1970. Null without an end, and of a refused key. */
  readonly expiresMs: number | null;
}

/**
 * The first half of a request: authenticate and limit, for the moment at which the body is complete.
 *
 * 1. A key that cannot be one costs no I/O.
 * 2. Nor does one that this isolate knows to be unknown, or over the limit. Of a key that it does not
 *    know to be good, the client's address is counted.
 * 3. The body is read, which may take a while.
 * 4. The key is looked up and counted: side by side where it was good before, else one after the other,
 *    so that the limiter is never asked about a key that does not exist. A 401 wins over a 429, and
 *    both over what is wrong with the body.
 */
export async function admit(door: Doorkeeper, trace: Trace, arrival: Arrival): Promise<Admission> {
  const print = await readKey(arrival.authorization);
  if (!print.ok) return { caller: print, verdict: null, expiresMs: null };
  const { keyId } = print.value;
  trace.note({ key_id: keyId });
  const decision = await decide(door, trace, print.value, arrival);
  return { ...decision, expiresMs: door.keyMemory.endOf(keyId) };
}

async function decide(
  door: Doorkeeper,
  trace: Trace,
  print: Fingerprint,
  { address, readBody }: Arrival,
): Promise<Decision> {
  const early = await turnAway(door, print.keyId, address);
  if (early !== null) return early;
  const body = await readBody();
  const { key, verdict } = await authenticate(door, trace, print);
  if (!key.ok) return { caller: key, verdict };
  if (!body.ok) return { caller: body, verdict };
  return { caller: success({ key: key.value, body: body.value }), verdict };
}

/** What a request shows by itself, without a look-up: nothing of it tells which keys exist. */
const UNREADABLE = {
  missing: "The Authorization header is missing. Send Authorization: Bearer <API key>.",
  scheme: "The Authorization header must have the scheme Bearer: Authorization: Bearer <API key>.",
  shape:
    "This has not the shape of an API key: svc_live_ and 49 letters and digits, which end in a " +
    "checksum. Copy the whole key again.",
} as const;

async function readKey(authorization = ""): Promise<Result<Fingerprint>> {
  const key = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (key === undefined || !isApiKeyShaped(key)) {
    const lack = lackOf(authorization);
    return failed("API_KEY_INVALID", `no key: ${lack}`, { message: UNREADABLE[lack] });
  }
  return success(await fingerprint(key));
}

function lackOf(authorization: string): keyof typeof UNREADABLE {
  if (authorization === "") return "missing";
  return /^bearer(?:\s|$)/i.test(authorization) ? "shape" : "scheme";
}

/** What can be said before the body is read, without a call to the tables or the limiter. */
async function turnAway(
  door: Doorkeeper,
  keyId: string,
  address: string | null,
): Promise<Decision | null> {
  const standing = door.keyMemory.standing(keyId);
  if (standing === "refused") {
    return { caller: failed("API_KEY_INVALID", "refused before, not asked again"), verdict: null };
  }
  const spent = door.limiter.refusal(keyId);
  if (spent !== null) return { caller: overLimit(door, spent), verdict: spent };
  if (standing === "good" || (await door.addressLimiter(address))) return null;
  const message = "Too many requests of this address with keys that are not known. Retry later.";
  const wait = { message, retryAfterSeconds: LIMIT_WINDOW_SECONDS };
  return { caller: failed("RATE_LIMITED", "the address is over its limit", wait), verdict: null };
}

async function authenticate(door: Doorkeeper, trace: Trace, print: Fingerprint) {
  const { limiter, keyMemory } = door;
  const { keyId } = print;
  const spent = limiter.refusal(keyId);
  if (spent !== null) return { key: overLimit(door, spent), verdict: spent };
  const count = () => trace.time("limit", () => limiter.count(keyId));
  const early = keyMemory.standing(keyId) === "good" ? count() : null;
  const [lookup] = await Promise.all([
    trace.time("authenticate", () => lookUpKey(door.dynamo, door.apiKeysTable, print, door.now)),
    early,
  ]);
  keyMemory.learn(keyId, lookup);
  if (lookup.outcome !== "active") return { key: refuseKey(lookup), verdict: null };
  trace.note({ account: lookup.key.account });
  const verdict = await (early ?? count());
  return { key: verdict.allowed ? success(lookup.key) : overLimit(door, verdict), verdict };
}

function refuseKey(lookup: Exclude<KeyLookup, { outcome: "active" }>): Result<ApiKey> {
  const code = lookup.outcome === "undecided" ? "UPSTREAM_ERROR" : "API_KEY_INVALID";
  return failed(code, `key look-up: ${lookup.cause}`);
}

function overLimit({ now }: Doorkeeper, verdict: Verdict) {
  const retryAfterSeconds = resetSeconds(verdict, now());
  return failed("RATE_LIMITED", "over the limit", { retryAfterSeconds });
}
