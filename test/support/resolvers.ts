import { createResolvers } from "../../src/platforms/registry.ts";
import { testSettings } from "./settings.ts";

/** Every service's resolver without any variable, for its hosts, paths, price and domains. */
export const RESOLVERS = createResolvers(testSettings().platforms);
