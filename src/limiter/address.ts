import { openIsolateCount } from "./isolate-count.ts";

/** Requests a minute of one client address whose keys are not known to be good; `wrangler.toml` too. */
export const ADDRESS_LIMIT_REQUESTS = 300;

/** A rate-limit binding of Cloudflare's. */
export interface AddressBinding {
  readonly limit: (options: { key: string }) => Promise<{ success: boolean }>;
}

/**
 * Whether a client address may have another key looked up. Without an address there is no Cloudflare
 * in front, and nobody to count.
 */
export type AddressLimiter = (address: string | null) => Promise<boolean>;

/**
 * @param binding Cloudflare's counter for the whole location; without it, or while it fails, the
 *   isolate's own count is all there is
 */
export function openAddressLimiter(
  binding: AddressBinding | null,
  now: () => number,
): AddressLimiter {
  const own = openIsolateCount(now, ADDRESS_LIMIT_REQUESTS);
  return async (address) => {
    if (address === null) return true;
    const network = networkOf(address);
    if (!own.count(network)) return false;
    try {
      return (await binding?.limit({ key: network }))?.success ?? true;
    } catch {
      return true;
    }
  };
}

/** The rate-limit binding of `wrangler.toml` among the worker's bindings; null where there is none. */
export function findAddressBinding(env: unknown): AddressBinding | null {
  if (typeof env !== "object" || env === null || !("ADDRESS_LIMIT" in env)) return null;
  return isAddressBinding(env.ADDRESS_LIMIT) ? env.ADDRESS_LIMIT : null;
}

function isAddressBinding(value: unknown): value is AddressBinding {
  return (
    typeof value === "object" &&
    value !== null &&
    "limit" in value &&
    typeof value.limit === "function"
  );
}

const IPV6_GROUPS = 8;
/** Who has one IPv6 address has all of its first 64 bits. */
const IPV6_NETWORK_GROUPS = 4;

/** An IPv4 address, or the network of an IPv6 one. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const left = groupsOf(head);
  const right = groupsOf(tail ?? "");
  const zeros = tail === undefined ? 0 : Math.max(0, IPV6_GROUPS - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return groups.slice(0, IPV6_NETWORK_GROUPS).join(":");
}

function groupsOf(text: string): string[] {
  return text === "" ? [] : text.split(":").map(withoutZerosInFront);
}

function withoutZerosInFront(group: string): string {
  let at = 0;
  while (group[at] === "0" && at < group.length - 1) at++;
  return group.slice(at);
}
