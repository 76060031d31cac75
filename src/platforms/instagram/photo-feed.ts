import { among, type Download, type Resolver, type Source } from "../../search/resolver.ts";
import { hikerapiPost } from "../hikerapi/post.ts";
import type { HikerapiSettings } from "../hikerapi/settings.ts";
import { embed } from "./embed.ts";
import { isPost, readItem } from "./item.ts";
import { permalink } from "./permalink.ts";
import { bareCode } from "./shortcode.ts";

/**
 * Hosts of the platform's three services. Public extractors list the first two; shared links use
 * `m.` (2026-08).
 */
export const PHOTO_FEED_HOSTS = among("instagram.com", "www.instagram.com", "m.instagram.com");

/** Domains that the platform's media comes from (upstreams observed 2026-10). */
export const PHOTO_FEED_MEDIA_DOMAINS = ["cdninstagram.com", "fbcdn.net"] as const;

/**
 * URLs are signed, and `oe` says when they end, 1.5 to 4.5 days after the request (observed 2026-10). A
 * server needs no cookie and no `Referer`. A page of another site cannot show images: they come with
 * `Cross-Origin-Resource-Policy: same-origin` (jlobos/instagram-web-api issue 248, since 2021-04;
 * imputnet/cobalt still passes them on for that reason, 2026-04).
 */
export const PHOTO_FEED_DOWNLOAD: Download = {
  expiry: [{ pattern: /[?&]oe=(?<expires>[0-9A-Fa-f]{8})(?:&|$)/, radix: 16 }],
};

/** Posts, short videos, photos and carousels. */
export const photoFeed = (provider: HikerapiSettings, cobalt: Source): Resolver => ({
  service: "photo-feed",
  multiplier: 1,
  shapes: ["instagram.com/p/<code>", "instagram.com/reel/<code>"],
  places: [
    {
      hosts: PHOTO_FEED_HOSTS,
      paths: [
        /^\/(?:p|reel)\/(?<id>[A-Za-z0-9_-]{1,64})$/,
        // `/reels/audio/…` is the page of a sound, not of a post.
        /^\/reels\/(?!audio$)(?<id>[A-Za-z0-9_-]{1,64})$/,
        // These words are paths of the platform, not user names.
        /^\/(?!(?:share|stories|explore|reels|tv)\/)(?<owner>[A-Za-z0-9._]{1,30})\/(?:p|reel)\/(?<id>[A-Za-z0-9_-]{1,64})$/,
      ],
    },
  ],
  // As public extractors list them (2026-08): `/share/<code>`, `/share/p/<code>` and so on.
  shareLinks: [{ hosts: PHOTO_FEED_HOSTS, paths: [/^\/share\/(?:[a-z]{1,8}\/)?[\w-]{1,64}$/] }],
  mediaDomains: PHOTO_FEED_MEDIA_DOMAINS,
  download: PHOTO_FEED_DOWNLOAD,
  hedgeDelayMs: 2_500,
  sources: [permalink, embed, cobalt, hikerapiPost(provider, { bareCode, isPost, readItem })],
});
