import { SERVICES, type Service, serviceSchema } from "../contract/schemas.ts";
import type { Resolver, Source } from "./resolver.ts";

export type Resolvers = Readonly<Record<Service, Resolver>>;

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

/** Reads `service=source,source;service=source`. Ignores white space around names. */
function readOrders(resolvers: Resolvers, text: string): ReadonlyMap<Service, readonly Source[]> {
  const orders = new Map<Service, readonly Source[]>();
  for (const entry of split(text, ";")) {
    const [name = "", list = "", ...rest] = entry.split("=").map((part) => part.trim());
    const service = serviceSchema.safeParse(name);
    if (!service.success)
      throw unusable(`"${name}" is no service; there are ${SERVICES.join(", ")}`);
    if (rest.length > 0) throw unusable(`${name}: has more than one "="`);
    if (orders.has(service.data)) throw unusable(`${name}: is there twice`);
    orders.set(service.data, readOrder(resolvers[service.data], list));
  }
  return orders;
}

function readOrder({ service, sources }: Resolver, list: string): readonly Source[] {
  const names = split(list, ",");
  if (names.length === 0) throw unusable(`${service}: names no source`);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw unusable(`${service}: "${twice}" is there twice`);
  const known = sources.map(({ name }) => name).join(", ");
  return names.map((name) => {
    const source = sources.find((candidate) => candidate.name === name);
    if (source === undefined)
      throw unusable(`${service}: "${name}" is no source; there is ${known}`);
    return source;
  });
}

function split(text: string, separator: string): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function unusable(problem: string): Error {
  return new Error(`configuration: SOURCES: ${problem}`);
}
