import { among, type Download, type Resolver, type Source } from "../../search/resolver.ts";
import { embed } from "./embed.ts";
import { player } from "./player.ts";
import type { TiktokSettings } from "./settings.ts";
import { watch } from "./watch.ts";

/**
 * In some regions the files answer 403 to a request without the platform's `Referer`
 * (drawrowfly/tiktok-scraper issue 782, 2022-07). Those of a watch page also want the cookie
 * `tt_chain_token` of that page (yt-dlp issue 13771, 2025-07; mikf/gallery-dl pull request 8848,
 * 2026-01): no client can send that one. The end is in `x-expires`, in `expire`, or in the second
 * segment of a video's path, in hex (RobertGrubb/tiktok-php issue 12, 2020-07; observed 2026-10).
 */
const DOWNLOAD: Download = {
  refererAfter403: "https://www.tiktok.com/",
  expiry: [
    { pattern: /[?&](?:x-expires|expire)=(?<expires>\d{10})(?:&|$)/, radix: 10 },
    { pattern: /\/(?<expires>[0-9a-f]{8})\/video\//, radix: 16 },
  ],
};

/** Videos and image posts. */
export const shortVideo = (settings: TiktokSettings, cobalt: Source): Resolver => ({
  service: "short-video",
  multiplier: 1,
  shapes: ["tiktok.com/@<user>/video/<id>"],
  places: [
    {
      hosts: among("tiktok.com", "www.tiktok.com", "m.tiktok.com"),
      // `/photo/` is the form for image posts. The platform accepts both forms for any post
      // (2026-08).
      paths: [/^\/@(?<owner>[A-Za-z0-9_.-]{1,100})\/(?:video|photo)\/(?<id>\d{1,24})$/],
    },
  ],
  // As public extractors list them (2026-08).
  shareLinks: [
    { hosts: among("vm.tiktok.com", "vt.tiktok.com", "t.tiktok.com"), paths: [/^\/\w{1,64}$/] },
    {
      hosts: among("tiktok.com", "www.tiktok.com", "m.tiktok.com", "lite.tiktok.com"),
      paths: [/^\/t\/\w{1,64}$/],
    },
  ],
  // Upstreams observed 2026-10.
  mediaDomains: [
    "tiktokcdn.com",
    "tiktokcdn-us.com",
    "tiktokcdn-eu.com",
    "tiktok.com",
    "tiktokv.com",
    "byteoversea.com",
    "ibyteimg.com",
  ],
  download: DOWNLOAD,
  hedgeDelayMs: 1_500,
  sources: [player(settings), embed, watch, cobalt],
});
