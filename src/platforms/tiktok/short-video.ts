import { among, type Resolver, type Source } from "../../search/resolver.ts";
import { embed } from "./embed.ts";
import { player } from "./player.ts";
import type { TiktokSettings } from "./settings.ts";
import { watch } from "./watch.ts";

/** Videos and image posts. */
export const shortVideo = (settings: TiktokSettings, cobalt: Source): Resolver => ({
  service: "short-video",
  multiplier: 1,
  shapes: ["tiktok.com/@<user>/video/<id>"],
  places: [
    {
      isHost: among("tiktok.com", "www.tiktok.com", "m.tiktok.com"),
      // `/photo/` is the form for image posts. The platform accepts both forms for any post
      // (2026-08).
      paths: [/^\/@(?<owner>[A-Za-z0-9_.-]{1,100})\/(?:video|photo)\/(?<id>\d{1,24})$/],
    },
  ],
  // As public extractors list them (2026-08).
  shareLinks: [
    { isHost: among("vm.tiktok.com", "vt.tiktok.com", "t.tiktok.com"), paths: [/^\/\w{1,64}$/] },
    {
      isHost: among("tiktok.com", "www.tiktok.com", "m.tiktok.com", "lite.tiktok.com"),
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
  hedgeDelayMs: 1_500,
  sources: [player(settings), embed, watch, cobalt],
});
