import { v7 as uuidv7 } from "uuid";
import { assemble } from "./assemble.ts";
import { readConfig } from "./config/config.ts";
import { ERRORS } from "./contract/errors.ts";
import type { ErrorBody } from "./contract/schemas.ts";
import { sweep } from "./credits/sweep.ts";
import { createApp } from "./http/app.ts";
import { EVERY_RESPONSE } from "./http/headers.ts";
import { findAddressBinding } from "./limiter/address.ts";
import { openLog } from "./log/log.ts";
import type { Collaborators } from "./resolve.ts";

/** What an isolate builds once and all of its requests share. */
interface Service {
  readonly collaborators: Collaborators;
  readonly app: ReturnType<typeof createApp>;
}

/** The configuration is not usable. It stays so for the life of the isolate. */
interface Misconfigured {
  readonly problem: string;
}

let opened: Service | Misconfigured | undefined;

function open(env: unknown): Service | Misconfigured {
  opened ??= tryToOpen(env);
  return opened;
}

/** Logs the problem once; each request would only repeat it. */
function tryToOpen(env: unknown): Service | Misconfigured {
  try {
    const collaborators = assemble(readConfig(env), findAddressBinding(env));
    return { collaborators, app: createApp(collaborators) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    openLog((line) => console.error(line))({ event: "misconfigured", problem });
    return { problem };
  }
}

export default {
  fetch(request, env, context) {
    const service = open(env);
    if ("problem" in service) return outOfOrder();
    const response = Promise.resolve(service.app.fetch(request, env, context));
    // The request must go on when its client goes away, because it has credits to return.
    context.waitUntil(response);
    return response;
  },

  async scheduled(_event, env) {
    const service = open(env);
    if ("problem" in service) throw new Error(service.problem);
    const { ledger, log } = service.collaborators;
    log({ event: "sweep", ...(await sweep(ledger)) });
  },
} satisfies ExportedHandler;

/** The client does not learn the problem; it is in the log. */
function outOfOrder(): Response {
  const { status, message } = ERRORS.UPSTREAM_ERROR;
  const request_id = uuidv7();
  const body: ErrorBody = { error: true, code: "UPSTREAM_ERROR", message, request_id };
  const headers = { ...EVERY_RESPONSE, "X-Request-Id": request_id };
  return Response.json(body, { status, headers });
}
