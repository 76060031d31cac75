import type { Territory } from "../../../../../src/search/resolver.ts";
import data from "../../../services.json" with { type: "json" };
import type { Service } from "../contract/contract.ts";

/** Longest URL that the service takes, in characters. */
export const URL_CHARACTERS_MAX = data.url_characters_max;

/** What this package knows of a service. The worker's resolvers are where it comes from. */
export interface KnownService extends Territory {
  readonly service: Service;
  readonly creditsPerItem: number;
  readonly mediaDomains: readonly string[];
  readonly refererAfter403: string | null;
  readonly expiry: readonly { readonly pattern: RegExp; readonly radix: number }[];
}

type Row = (typeof data.services)[number];

export const SERVICES: readonly KnownService[] = data.services.flatMap((row) =>
  isService(row.service) ? [known(row.service, row)] : [],
);

/** The file has each service of the contract; a test compares them. */
export function isService(name: string): name is Service {
  return data.services.some(({ service }) => service === name);
}

/** The service whose media come from a host, if it is one of the known ones. */
export function serviceOfMedia(host: string): KnownService | undefined {
  return SERVICES.find(({ mediaDomains }) => isWithin(host, mediaDomains));
}

/** Whether a host is one of the domains or below one. */
export function isWithin(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

function known(service: Service, row: Row): KnownService {
  const { expiry, referer_after_403 } = row.download;
  return {
    service,
    creditsPerItem: row.credits_per_item,
    shapes: row.shapes,
    places: row.places.map(({ short_link, ...place }) => ({
      ...placeOf(place),
      isShortLink: short_link,
    })),
    shareLinks: row.share_links.map(placeOf),
    mediaDomains: row.media_domains,
    refererAfter403: referer_after_403,
    expiry: expiry.map(({ pattern, radix }) => ({ pattern: new RegExp(pattern), radix })),
  };
}

function placeOf({ hosts, paths }: { readonly hosts: string; readonly paths: readonly string[] }) {
  return { hosts: new RegExp(hosts), paths: paths.map((path) => new RegExp(path)) };
}
