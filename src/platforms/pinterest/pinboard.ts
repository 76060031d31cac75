import { among, type Resolver, type Source } from "../../search/resolver.ts";
import { page } from "./page.ts";
import { resource } from "./resource.ts";
import type { PinterestSettings } from "./settings.ts";
import { locatePin } from "./short-link.ts";
import { widget } from "./widget.ts";

/**
 * Top-level domains of the platform, as public extractors list them (2026-08). Look-alikes use
 * others.
 */
const TOP_LEVELS = [
  "at|be|ca|ch|cl|co|com|de|dk|ec|es|fr|hu|id|ie|in|info|it|jp|kr|mx|nl|nz|pe|ph|pt|ru|se|th|tw|uk|vn",
  "co\\.(?:at|in|kr|nz|uk)",
  "com\\.(?:au|bo|ec|mx|pe|py|uy|vn)",
].join("|");

/** With the prefix `www.`, a two-letter country, or none. */
const HOSTS = new RegExp(`^(?:www\\.|[a-z]{2}\\.)?pinterest\\.(?:${TOP_LEVELS})$`);

/** Image pins and video pins. */
export const pinboard = (settings: PinterestSettings, cobalt: Source): Resolver => ({
  service: "pinboard",
  multiplier: 1,
  shapes: ["pinterest.com/pin/<id>", "pin.it/<code>"],
  places: [
    {
      hosts: HOSTS,
      paths: [/^\/pin\/(?:[^/]+--)?(?<id>\d{1,24})(?:\/sent(?:\/.*)?)?$/],
    },
    { hosts: among("pin.it"), paths: [/^\/(?<id>[A-Za-z0-9]{1,64})$/], isShortLink: true },
  ],
  locate: locatePin,
  // Videos come from the first domain, images from the second (observed 2026-10). Their URLs are
  // neither signed nor do they end, and need no cookie and no `Referer` (mikf/gallery-dl, 2026-08).
  mediaDomains: ["v1.pinimg.com", "i.pinimg.com"],
  hedgeDelayMs: 1_500,
  sources: [resource(settings), page, widget, cobalt],
});
