import { SERVICES, type Service } from "../contract/schemas.ts";
import type { Resolver, Source } from "./resolver.ts";
import { partsOf, readServiceEntries, unusable } from "./service-entries.ts";

export type Resolvers = Readonly<Record<Service, Resolver>>;

const VARIABLE = "SOURCES";

/**
 * The resolvers with the sources that can be asked, in the order of the variable SOURCES, else in
 * the resolver's own order. Leaves out sources that lack a variable.
 * @throws Error that says what is wrong with SOURCES
 */
export function orderSources(resolvers: Resolvers, orders: string | null): Resolvers {
  const read = readOrders(resolvers, orders ?? "");
  const ordered: Record<Service, Resolver> = { ...resolvers };
  for (const service of SERVICES) {
    const sources = read.get(service) ?? resolvers[service].sources;
    ordered[service] = { ...resolvers[service], sources: sources.filter(isAskable) };
  }
  return ordered;
}

/** Services that nothing can resolve, and the variables of which one would help. */
export function unconfigured(
  resolvers: Resolvers,
  orders: string | null,
): readonly { readonly service: Service; readonly configure: readonly string[] }[] {
  const ordered = orderSources(resolvers, orders);
  return SERVICES.filter((service) => ordered[service].sources.length === 0).map((service) => {
    const configure = resolvers[service].sources.flatMap(({ missing }) => missing ?? []);
    return { service, configure };
  });
}

function isAskable({ missing }: Source): boolean {
  return missing === undefined;
}

function readOrders(resolvers: Resolvers, text: string): ReadonlyMap<Service, readonly Source[]> {
  const entries = readServiceEntries(VARIABLE, text);
  return new Map(
    [...entries].map(([service, list]) => [service, readOrder(resolvers[service], list)]),
  );
}

function readOrder({ service, sources }: Resolver, list: string): readonly Source[] {
  const names = partsOf(list, ",");
  if (names.length === 0) throw unusable(VARIABLE, `${service}: names no source`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw unusable(VARIABLE, `${service}: "${twice}" is there twice`);
  const known = sources.map(({ name }) => name).join(", ");
  return names.map((name) => {
    const source = sources.find((candidate) => candidate.name === name);
    if (source !== undefined) return source;
    throw unusable(VARIABLE, `${service}: "${name}" is no source; there is ${known}`);
  });
}
