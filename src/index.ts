import { createApp } from "./app.ts";
import { assemble } from "./assemble.ts";
import { readConfig } from "./config.ts";
import { sweep } from "./credits/sweep.ts";
import type { Collaborators } from "./resolve.ts";

/** What one isolate builds once and every request of it shares. */
interface Service {
  readonly collaborators: Collaborators;
  readonly app: ReturnType<typeof createApp>;
}

let service: Service | undefined;

function open(env: unknown): Service {
  if (service === undefined) {
    const collaborators = assemble(readConfig(env));
    service = { collaborators, app: createApp(collaborators) };
  }
  return service;
}

export default {
  fetch(request, env, context) {
    const response = Promise.resolve(open(env).app.fetch(request, env, context));
    // A client that goes away must not end the request: it has credits to give back.
    context.waitUntil(response);
    return response;
  },

  async scheduled(_event, env) {
    const { ledger, log } = open(env).collaborators;
    log({ event: "sweep", ...(await sweep(ledger)) });
  },
} satisfies ExportedHandler;
