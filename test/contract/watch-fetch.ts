import { watch } from "./watch.ts";

const ENDPOINT = "/v1/resolve";

/** A `fetch` that looks at the service's responses, and only at those. */
export function watchedFetch(plain: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await plain(input, init);
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : "GET");
    // Whatever answers at the endpoint is taken for the service, also without a request id.
    const isOfService = url.pathname === ENDPOINT || response.headers.has("x-request-id");
    if (isOfService) await watch(method, response);
    return response;
  };
}
