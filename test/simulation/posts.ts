import { fileURLToPath } from "node:url";
import type { Random } from "../../infra/finance/generate/random.ts";
import { loadSamples } from "../../infra/local/sample-gateway.ts";
import type { ResolveRequest } from "../../src/contract/schemas.ts";
import { REAL, SOURCELESS } from "./upstream.ts";

type Wanted = Pick<ResolveRequest, "service" | "url">;

const FOLDER = fileURLToPath(new URL("../../infra/local/samples/", import.meta.url));

/** The posts of the bundled samples: every service has some. */
const samples = (await loadSamples(FOLDER)).flatMap(({ service, source_url: url }): Wanted[] =>
  url === undefined ? [] : [{ service, url }],
);

export const POSTS = samples.filter(({ service }) => service !== REAL && service !== SOURCELESS);
export const SOURCELESS_POSTS = samples.filter(({ service }) => service === SOURCELESS);

/** @throws Error when there is none to pick from */
export function pickPost(random: Random, posts: readonly Wanted[]): Wanted {
  const [first, ...rest] = posts;
  if (first === undefined) throw new Error("infra/local/samples has no post");
  return random.pick([first, ...rest]);
}
