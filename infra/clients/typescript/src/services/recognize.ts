import { parsePostUrl } from "../../../../../src/search/post-url.ts";
import type { Service } from "../contract/contract.ts";
import { SERVICES, URL_CHARACTERS_MAX } from "./services.ts";

/** Which service takes a URL. */
export type Recognition =
  | {
      readonly ok: true;
      readonly service: Service;
      /** As the service will repeat it in `source_url`. */
      readonly url: string;
      readonly creditsPerItem: number;
      /** Only the platform knows which post a short link leads to. */
      readonly isShortLink: boolean;
    }
  | { readonly ok: false; readonly message: string };

/** Stands for all services in a message, where the worker would name the one that was asked for. */
const ANY = {
  service: "supported",
  shapes: SERVICES.flatMap(({ shapes }) => shapes),
  places: [],
} as const;

/**
 * Says which service a URL belongs to, or why none takes it. Sends nothing. It runs the worker's own
 * rules.
 */
export function recognize(url: string): Recognition {
  if ([...url].length > URL_CHARACTERS_MAX) {
    return { ok: false, message: `url: must be at most ${URL_CHARACTERS_MAX} characters` };
  }
  for (const known of SERVICES) {
    const post = parsePostUrl(url, known);
    if (!post.ok) continue;
    const { service, creditsPerItem } = known;
    const { isShortLink } = post.value;
    return { ok: true, service, url: post.value.url.href, creditsPerItem, isShortLink };
  }
  const refused = parsePostUrl(url, ANY, SERVICES);
  const message = refused.ok ? undefined : refused.failure.message;
  return { ok: false, message: message ?? "url: is not a supported URL" };
}
