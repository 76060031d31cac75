import { among, type Resolver } from "../../search/resolver.ts";
import { embed } from "./embed.ts";
import { preview } from "./preview.ts";

/** Photo and video posts of public channels. */
export const messengerChannel: Resolver = {
  service: "messenger-channel",
  multiplier: 2,
  shapes: ["t.me/<channel>/<number>"],
  places: [
    {
      hosts: among(
        ...["t.me", "telegram.me", "telegram.dog"],
        ...["www.t.me", "www.telegram.me", "www.telegram.dog"],
      ),
      // `/s/` is the channel's preview, opened at that message.
      paths: [/^\/(?:s\/)?(?<owner>[A-Za-z][A-Za-z0-9_]{3,31})\/(?<id>\d{1,10})$/],
    },
  ],
  // Upstreams observed 2026-10. Links end after one to two days with 403 or 404, which the URL does not
  // say (DIYgod/RSSHub issue 8031). They need no cookie and no `Referer`.
  mediaDomains: ["telesco.pe", "cdn-telegram.org", "telegram-cdn.org"],
  hedgeDelayMs: 2_000,
  sources: [embed, preview],
};
