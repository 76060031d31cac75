import { among, type Resolver, type Source } from "../../search/resolver.ts";
import { syndication } from "./syndication.ts";

/** Video, photos and quoted media of posts. */
export const microblog = (cobalt: Source): Resolver => ({
  service: "microblog",
  multiplier: 1,
  shapes: ["x.com/<user>/status/<id>"],
  places: [
    {
      hosts: among(
        ...["x.com", "www.x.com", "m.x.com", "mobile.x.com"],
        ...["twitter.com", "www.twitter.com", "m.twitter.com", "mobile.twitter.com"],
      ),
      paths: [
        // `/i/…` is the form without a user. The suffix is the slide that the reader looked at.
        /^\/(?:i(?:\/web)?|(?<owner>[A-Za-z0-9_]{1,20}))\/status\/(?<id>\d{1,24})(?:\/(?:photo|video)\/\d)?$/,
      ],
    },
  ],
  // The platform shortens every link of a post to this host (2026-08).
  shareLinks: [{ hosts: among("t.co"), paths: [/^\/\w{1,64}$/] }],
  // Videos come from the first domain, photos from the second (observed 2026-10). The first answers 403
  // to every request with a `Referer` (vercel/react-tweet issue 212, since 2025-12). Their URLs do not
  // end; they need no cookie (imputnet/cobalt, 2026-04).
  mediaDomains: ["video.twimg.com", "pbs.twimg.com"],
  hedgeDelayMs: 1_500,
  sources: [syndication, cobalt],
});
