import type { Resolvers } from "../search/source-order.ts";
import { cobalt } from "./cobalt/cobalt.ts";
import { photoFeed } from "./instagram/photo-feed.ts";
import { photoFeedHighlight } from "./instagram/photo-feed-highlight.ts";
import { photoFeedStory } from "./instagram/photo-feed-story.ts";
import { pinboard } from "./pinterest/pinboard.ts";
import type { PlatformSettings } from "./settings.ts";
import { messengerChannel } from "./telegram/messenger-channel.ts";
import { shortVideo } from "./tiktok/short-video.ts";
import { microblog } from "./x/microblog.ts";

/** Every service and its resolver. Each is made with its own platform's settings. */
export function createResolvers(settings: PlatformSettings): Resolvers {
  const anyPlatform = cobalt(settings.cobalt);
  return {
    "photo-feed": photoFeed(settings.hikerapi, anyPlatform),
    "photo-feed-story": photoFeedStory(settings.hikerapi),
    "photo-feed-highlight": photoFeedHighlight(settings.hikerapi),
    "short-video": shortVideo(settings.tiktok, anyPlatform),
    microblog: microblog(anyPlatform),
    pinboard: pinboard(settings.pinterest, anyPlatform),
    "messenger-channel": messengerChannel,
  };
}
