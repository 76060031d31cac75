import * as z from "zod/mini";
import { amount, compareAmounts, isPlain } from "../../upstream/renditions.ts";
import { addressesSchema, videoAddresses } from "./media.ts";

const profileSchema = z.object({
  codec_type: z.catch(z.nullish(z.string()), null),
  bitrate: amount,
  play_addr: z.nullish(z.object({ url_list: addressesSchema, width: amount, height: amount })),
});
type Profile = z.infer<typeof profileSchema>;

/** A video's renditions, and the platform's default, whose codec it does not name. */
export const videoSchema = z.object({
  url_list: addressesSchema,
  profiles: z.nullish(z.array(profileSchema)),
});
type Video = z.infer<typeof videoSchema>;

const NO_SIZE = { width: 0, height: 0, url_list: [] };

/** `bytevc2` plays only in the platform's own player (yt-dlp, 2026-08). */
export function bestVideo(video: Video | null | undefined): string | undefined {
  const unnamed = { codec_type: null, bitrate: 0, play_addr: { ...NO_SIZE, ...video } };
  const playable = [...(video?.profiles ?? []), unnamed]
    .map((profile) => ({ ...profile, url: videoAddresses(profile.play_addr?.url_list ?? [])[0] }))
    .filter(({ codec_type }) => !/vc2/i.test(codec_type ?? ""))
    .flatMap(({ url, ...profile }) =>
      url === undefined ? [] : [{ url, rank: rank(url, profile) }],
    )
    .toSorted((a, b) => compareAmounts(b.rank, a.rank));
  return playable[0]?.url;
}

/** H.264 plays anywhere. A file of unknown codec is the platform's default, and mostly H.264. */
function rank(url: string, { codec_type, bitrate, play_addr }: Profile): readonly number[] {
  const isNamed = /264|avc/i.test(codec_type ?? "");
  const codec = isPlain(url, codec_type) ? 1 + Number(isNamed) : 0;
  return [codec, (play_addr?.width ?? 0) * (play_addr?.height ?? 0), bitrate];
}
