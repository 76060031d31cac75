import { isPhotoFeedHost, PHOTO_FEED_MEDIA_DOMAINS } from "./photo-feed.ts";
import type { Resolver } from "./resolver.ts";

/** Active stories. */
export const photoFeedStory: Resolver = {
  service: "photo-feed-story",
  multiplier: 2,
  shapes: ["instagram.com/stories/<username>/<id>"],
  places: [
    {
      isHost: isPhotoFeedHost,
      paths: [/^\/stories\/(?!highlights\/)(?<owner>[A-Za-z0-9._]{1,30})\/(?<id>\d{1,24})$/],
    },
  ],
  mediaDomains: PHOTO_FEED_MEDIA_DOMAINS,
  sources: [],
};
