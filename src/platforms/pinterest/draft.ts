import type { MediaItem } from "../../contract/schemas.ts";
import { chooseImage } from "./image.ts";
import type { Picture } from "./pin-schema.ts";
import { chooseVideo } from "./video.ts";

/** One medium of a pin, as its reply describes it. */
export interface Draft {
  readonly type: MediaItem["type"];
  /** A URL that the reply names. Null if it names none that a player can open. */
  readonly url: string | null;
  /** Better URLs that we derive, best first. Each must be checked before it is returned. */
  readonly guesses: readonly string[];
}

/** Without any URL if the lists name no file. The medium exists all the same. */
export function draftVideo(...lists: readonly unknown[]): Draft {
  const { url, siblings } = chooseVideo(...lists);
  return { type: "video", url, guesses: siblings };
}

/** At most one: the image of the first picture that has one. */
export function draftImage(...pictures: readonly (Picture | null | undefined)[]): readonly Draft[] {
  const image = chooseImage(...pictures);
  return image === null ? [] : [{ type: "image", url: image.url, guesses: image.originals }];
}

export function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined;
}
