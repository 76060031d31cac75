import type { Config } from "../config/config.ts";
import { SERVICES, type Service, serviceSchema } from "../contract/schemas.ts";
import type { Resolver, Source } from "./resolver.ts";

export type Resolvers = Readonly<Record<Service, Resolver>>;

/**
 * The resolvers with the sources that can be asked: in the order that the variable SOURCES has for a
 * service, or else in the resolver's own, without those whose variable is not set.
 * @throws Error that says what is wrong with SOURCES
 */
export function orderSources(resolvers: Resolvers, settings: Config): Resolvers {
  const orders = readOrders(resolvers, settings.SOURCES ?? "");
  const ordered: Record<Service, Resolver> = { ...resolvers };
  for (const service of SERVICES) {
    const sources = (orders.get(service) ?? resolvers[service].sources).filter((source) =>
      isAskable(source, settings),
    );
    ordered[service] = { ...resolvers[service], sources };
  }
  return ordered;
}

/** Services that nothing can resolve, each with the variables of which one would help. */
export function unconfigured(
  resolvers: Resolvers,
  settings: Config,
): readonly { readonly service: Service; readonly configure: readonly string[] }[] {
  const ordered = orderSources(resolvers, settings);
  return SERVICES.filter((service) => ordered[service].sources.length === 0).map((service) => {
    const missing = resolvers[service].sources.filter((source) => !isAskable(source, settings));
    const configure = missing.flatMap(({ requires }) => (requires === undefined ? [] : requires));
    return { service, configure };
  });
}

function isAskable({ requires }: Source, settings: Config): boolean {
  return requires === undefined || settings[requires] !== null;
}

/** Reads `service=source,source;service=source`; white space around a name does not matter. */
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
