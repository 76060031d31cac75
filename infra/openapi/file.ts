import * as z from "zod/mini";
import { createResolvers } from "../../src/platforms/registry.ts";
import { platformSettings } from "../../src/platforms/settings.ts";
import { makeDocument } from "./document.ts";

/** Where the document lies, from the repository's root. */
export const PATH = "infra/openapi.json";

/** The document as text. No variable of a platform changes what is in it. */
export function render(): string {
  const unset = Object.fromEntries(Object.keys(platformSettings).map((name) => [name, {}]));
  const resolvers = createResolvers(z.parse(z.object(platformSettings), unset));
  return `${JSON.stringify(makeDocument(resolvers), null, 2)}\n`;
}
