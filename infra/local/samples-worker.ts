/**
 * The service for a stack that answers from the samples. A client that asks for a post without a
 * sample is told which posts there are. It is never deployed.
 */
import * as z from "zod/mini";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { errorSchema, resolveRequestSchema } from "../../src/contract/schemas.ts";
import service from "../../src/index.ts";

const settingsSchema = z.object({ SAMPLES: z.string() });

/** What the stack tells this worker, as JSON. */
const samplesSchema = z.object({
  /** URLs of the sampled posts of each service. */
  posts: z.record(z.string(), z.array(z.string())),
  /** URLs that are there to show an error. */
  errors: z.array(z.string()),
});

/** What the service answers when the gateway has no sample. */
const UNANSWERED: ErrorCode = "UPSTREAM_ERROR";

export default {
  ...service,

  async fetch(request, env, context) {
    const copy = request.clone();
    const response = await service.fetch(request, env, context);
    if (response.status !== 502) {
      await copy.body?.cancel();
      return response;
    }
    return explain(copy, response, env);
  },
} satisfies ExportedHandler;

async function explain(request: Request, response: Response, env: unknown): Promise<Response> {
  const { SAMPLES } = settingsSchema.parse(env);
  const { posts, errors } = samplesSchema.parse(JSON.parse(SAMPLES));
  const body = errorSchema.parse(await response.clone().json());
  const asked = resolveRequestSchema.safeParse(await readJson(request));
  if (!asked.success || body.code !== UNANSWERED) return response;
  const { service, url } = asked.data;
  const known = posts[service] ?? [];
  if ([...known, ...errors].includes(url)) return response;
  console.log(JSON.stringify({ event: "no_sample", service, posts: known }));
  const message = `There is no sample of this post. Samples of ${service}: ${known.join(" ")}`;
  return Response.json({ ...body, message }, response);
}

/** Null where the body is no JSON, or is not there. */
async function readJson(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return null;
  }
}
