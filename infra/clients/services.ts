import * as z from "zod/mini";
import {
  resolveResponseSchema,
  SERVICES,
  URL_LIMIT_CHARACTERS,
} from "../../src/contract/schemas.ts";
import { createResolvers } from "../../src/platforms/registry.ts";
import { platformSettings } from "../../src/platforms/settings.ts";
import type { Resolver, ShareLinks } from "../../src/search/resolver.ts";

/** What the clients know of the services. Both packages carry it. */
export const SERVICES_FILE = new URL("services.json", import.meta.url);

/**
 * Writes down each service's URLs, price and media as data. Patterns are JavaScript's, for ASCII text
 * and a whole match; those of `expiry` are looked for in the whole URL.
 */
export function describeServices(): string {
  const unset = Object.fromEntries(Object.keys(platformSettings).map((name) => [name, {}]));
  const resolvers = createResolvers(z.object(platformSettings).parse(unset));
  const services = SERVICES.map((service) => describe(resolvers[service]));
  return `${JSON.stringify({ url_characters_max: URL_LIMIT_CHARACTERS, services }, null, 2)}\n`;
}

/** What the tool of the MCP server answers: a post, as the contract has it. */
export const OUTPUT_SCHEMA_FILE = new URL("typescript/src/mcp/output-schema.json", import.meta.url);

export function describeOutput(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(resolveResponseSchema);
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function describe(resolver: Resolver) {
  const { service, multiplier, shapes, places, shareLinks = [], mediaDomains, download } = resolver;
  return {
    service,
    credits_per_item: multiplier,
    shapes,
    places: places.map(({ isShortLink = false, ...place }) => ({
      ...sourcesOf(place),
      short_link: isShortLink,
    })),
    share_links: shareLinks.map(sourcesOf),
    media_domains: mediaDomains,
    download: {
      referer_after_403: download?.refererAfter403 ?? null,
      expiry: (download?.expiry ?? []).map(({ pattern, radix }) => ({
        pattern: pattern.source,
        radix,
      })),
    },
  };
}

function sourcesOf({ hosts, paths }: ShareLinks) {
  return { hosts: hosts.source, paths: paths.map(({ source }) => source) };
}
