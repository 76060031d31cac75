import type { Resolver } from "../../search/resolver.ts";
import { hikerapiHighlight } from "../hikerapi/highlight.ts";
import type { HikerapiSettings } from "../hikerapi/settings.ts";
import { PHOTO_FEED_DOWNLOAD, PHOTO_FEED_HOSTS, PHOTO_FEED_MEDIA_DOMAINS } from "./photo-feed.ts";

/** Highlights: stories that their author keeps on the profile. Only a provider can see them. */
export const photoFeedHighlight = (provider: HikerapiSettings): Resolver => ({
  service: "photo-feed-highlight",
  multiplier: 2,
  shapes: ["instagram.com/stories/highlights/<id>"],
  places: [{ hosts: PHOTO_FEED_HOSTS, paths: [/^\/stories\/highlights\/(?<id>\d{1,24})$/] }],
  // What the platform's app shares, as public libraries list it (2026-08).
  shareLinks: [{ hosts: PHOTO_FEED_HOSTS, paths: [/^\/s\/[\w=-]{1,100}$/] }],
  mediaDomains: PHOTO_FEED_MEDIA_DOMAINS,
  download: PHOTO_FEED_DOWNLOAD,
  hedgeDelayMs: 2_500,
  sources: [hikerapiHighlight(provider)],
});
