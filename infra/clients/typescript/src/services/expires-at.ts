import type { MediaItem } from "../contract/contract.ts";
import { serviceOfMedia } from "./services.ts";

/** Earlier and later times are no ends of URLs: 2017 to 2103. */
const SECONDS_MIN = 1_500_000_000;
const SECONDS_MAX = 4_200_000_000;

/** When a media URL ends, if it says so. Null does not mean that it never ends. */
export function expiresAt({ url }: Pick<MediaItem, "url">): Date | null {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  for (const { pattern, radix } of serviceOfMedia(host)?.expiry ?? []) {
    const text = pattern.exec(url)?.groups?.["expires"];
    if (text === undefined) continue;
    const seconds = Number.parseInt(text, radix);
    return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX ? new Date(1_000 * seconds) : null;
  }
  return null;
}
