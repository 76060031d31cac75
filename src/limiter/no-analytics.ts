/**
 * Stands in the bundle for `@upstash/core-analytics` (`wrangler.toml`, `alias`), which the rate limiter
 * imports and, with analytics off, never uses.
 */
export class Analytics {
  constructor() {
    throw new Error("analytics is off");
  }
}
