/** The addresses that a request may reach, redirects included. */
export interface Reach {
  /** Exact hosts for the request and all of its redirects. */
  readonly hosts: readonly string[];
  /** One more allowed origin, which the operator has configured. It may use http and a port. */
  readonly operatorOrigin?: string;
}

/**
 * Whether an address is within reach. The port of an https URL is empty when it is the default one. A
 * `blob:` URL has its creator's origin, so the scheme is looked at as well.
 */
export function isAllowed(url: URL, { hosts, operatorOrigin }: Reach): boolean {
  if (url.username !== "" || url.password !== "") return false;
  const isSecure = url.protocol === "https:";
  if (url.origin === operatorOrigin) return isSecure || url.protocol === "http:";
  return isSecure && url.port === "" && hosts.includes(url.hostname);
}

/** Where a redirect leads. Null if it leads nowhere. */
export function targetOf({ headers }: Response, from: URL): URL | null {
  const location = headers.get("location");
  return location === null ? null : URL.parse(location, from.href);
}

/** The gateway's address for a target. Keeps the gateway's own query unchanged, byte for byte. */
export function throughGateway(egressUrl: string, target: URL): string {
  const gateway = new URL(egressUrl);
  const own = gateway.search === "" ? "" : `${gateway.search.slice(1)}&`;
  gateway.search = `${own}url=${encodeURIComponent(target.href)}`;
  return gateway.href;
}
