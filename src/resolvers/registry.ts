import type { Service } from "../contract.ts";
import { messengerChannel } from "./messenger-channel.ts";
import { microblog } from "./microblog.ts";
import { photoFeed } from "./photo-feed.ts";
import { photoFeedHighlight } from "./photo-feed-highlight.ts";
import { photoFeedStory } from "./photo-feed-story.ts";
import { pinboard } from "./pinboard.ts";
import type { Resolver } from "./resolver.ts";
import { shortVideo } from "./short-video.ts";

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
