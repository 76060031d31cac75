import { isWithin, SERVICES } from "../services/services.ts";

/** Where media may come from, beside the hosts of the services. */
export interface MediaRules {
  readonly domains: readonly string[];
  /** The service itself runs on this machine, so its media may too. */
  readonly allowsLoopback: boolean;
}

const LOOPBACK_HOSTS: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/** Checks the address of a medium, or of a redirect. Null: nothing may be asked there. */
export function mediaAddress(
  text: string,
  base: string | undefined,
  rules: MediaRules,
): URL | null {
  if (!URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  const { protocol, hostname, port, username, password } = url;
  if (username !== "" || password !== "") return null;
  if (LOOPBACK_HOSTS.includes(hostname)) return rules.allowsLoopback ? url : null;
  const domains = [...SERVICES.flatMap(({ mediaDomains }) => mediaDomains), ...rules.domains];
  return protocol === "https:" && port === "" && isWithin(hostname, domains) ? url : null;
}
