import type { Service } from "../contract/schemas.ts";
import type { Resolver } from "../search/resolver.ts";
import { photoFeed } from "./instagram/photo-feed.ts";
import { photoFeedHighlight } from "./instagram/photo-feed-highlight.ts";
import { photoFeedStory } from "./instagram/photo-feed-story.ts";
import { pinboard } from "./pinterest/pinboard.ts";
import { messengerChannel } from "./telegram/messenger-channel.ts";
import { shortVideo } from "./tiktok/short-video.ts";
import { microblog } from "./x/microblog.ts";

/** Every service and its resolver. */
export const RESOLVERS: Readonly<Record<Service, Resolver>> = {
  "photo-feed": photoFeed,
  "photo-feed-story": photoFeedStory,
  "photo-feed-highlight": photoFeedHighlight,
  "short-video": shortVideo,
  microblog,
  pinboard,
  "messenger-channel": messengerChannel,
};
