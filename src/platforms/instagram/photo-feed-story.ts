import type { Resolver } from "../../search/resolver.ts";
import type { HikerapiSettings } from "../hikerapi/settings.ts";
import { hikerapiStory } from "../hikerapi/story.ts";
import { PHOTO_FEED_DOWNLOAD, PHOTO_FEED_HOSTS, PHOTO_FEED_MEDIA_DOMAINS } from "./photo-feed.ts";

/**
 * Active stories. They are visible only to logged-in users (2026-08), so only a provider can see
 * them.
 */
export const photoFeedStory = (provider: HikerapiSettings): Resolver => ({
  service: "photo-feed-story",
  multiplier: 2,
  shapes: ["instagram.com/stories/<username>/<id>"],
  places: [
    {
      hosts: PHOTO_FEED_HOSTS,
      paths: [/^\/stories\/(?!highlights\/)(?<owner>[A-Za-z0-9._]{1,30})\/(?<id>\d{1,24})$/],
    },
  ],
  mediaDomains: PHOTO_FEED_MEDIA_DOMAINS,
  download: PHOTO_FEED_DOWNLOAD,
  hedgeDelayMs: 2_500,
  sources: [hikerapiStory(provider)],
});
