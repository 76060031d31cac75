import { success } from "../../contract/result.ts";
import type { LocateTools, Post } from "../../search/resolver.ts";
import { type Answer, notFound, type Refusal } from "../../upstream/answer.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";

/** A link redirects over these hosts, in this order (cobalt and gallery-dl, 2026). */
const HOSTS = ["pin.it", "api.pinterest.com", "www.pinterest.com"] as const;

/** URLs on the way to a pin: another link, or the platform's redirector. */
const STOP =
  /^https:\/\/(?:pin\.it|(?:api|www)\.pinterest\.com\/url_shortener)\/[A-Za-z0-9]{1,64}(?:\/redirect)?\/?(?:\?|$)/;

const MAX_HOPS = 5;

/**
 * Follows a short link step by step until it names a pin. Checks each URL before requesting it.
 * Ends the search at any URL that is neither a pin nor a step on the way: a board, a profile, the
 * home page, another host.
 */
export async function locatePin(
  post: Post,
  { upstream, read }: LocateTools,
): Promise<Answer<Post>> {
  let address = `https://pin.it/${post.id}`;
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const request = { url: address, hosts: HOSTS, maxBytes: 1_000_000, maxRedirects: 0 };
    const reply = await upstream(request);
    if (!reply.ok) return reply;
    const next = nextAddress(reply.value);
    if (!next.ok) return next;
    const found = read(next.value);
    if (found.ok && !found.value.isShortLink) return success({ ...found.value, url: post.url });
    if (!STOP.test(next.value)) return nowhere("leads to no pin");
    address = next.value;
  }
  return nowhere(`no pin after ${MAX_HOPS} hops`);
}

/** Where a step redirects to. A relative URL is resolved against the step. */
function nextAddress(reply: UpstreamReply): Answer<string> {
  const { status, headers, url } = reply;
  if ([200, 404, 410].includes(status)) return nowhere(`status ${status}`);
  if (status < 300 || status >= 400) return unexpectedStatus(reply);
  const location = headers.get("location");
  const next = location === null ? null : URL.parse(location, url.href);
  return next === null ? nowhere("a redirect to no address") : success(next.href);
}

function nowhere(cause: string): Refusal {
  return notFound(`short link: ${cause}`);
}
