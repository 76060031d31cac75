import { success } from "../../contract/result.ts";
import type { MediaMetadata } from "../../contract/schemas.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { decodeEntities } from "../../upstream/entities.ts";
import { readShape, textOf } from "../../upstream/json.ts";
import { type Draft, draftImage, draftVideo, hasValue } from "./draft.ts";
import { type Person, type Pin, pinSchema, type Slot } from "./pin-schema.ts";
import { inResourceNames } from "./resource-names.ts";
import { readStory } from "./story.ts";

/** A pin whose guesses have still to be checked. */
export interface PinDraft {
  readonly drafts: readonly Draft[];
  readonly metadata: MediaMetadata;
}

/** Reads a pin from any source. The caller has checked that it is the requested pin. */
export function readPin(value: unknown): Answer<PinDraft> {
  const read = readShape(inResourceNames(value), pinSchema);
  if (!read.ok) return read;
  const pin = read.value;
  if ((pin.board?.privacy ?? "public").toLowerCase() !== "public") {
    return notFound("the pin's board is not public");
  }
  const drafts = mediaOf(pin) ?? ownImage(pin, textOf(value));
  if (drafts === null) return drifted("media in no known field", "videos", textOf(value));
  if (drafts.length === 0) return notFound("the pin has no media");
  return success({ drafts, metadata: metadataOf(pin) });
}

/**
 * The pages of a story pin, else the slots of a carousel, else the video. Null for a pin of none of
 * these.
 */
function mediaOf(pin: Pin): readonly Draft[] | null {
  const story = readStory(pin);
  if (story.length > 0) return story;
  const slots = (pin.carousel_data?.carousel_slots ?? []).flatMap(slotDraft);
  if (slots.length > 0) return slots;
  // A video pin has a poster among its images, which must not replace the video.
  return pin.is_video === true || hasValue(pin.videos) ? [draftVideo(pin.videos)] : null;
}

/** Addresses of media in a reply, none of which are of an avatar, as those have two lengths. */
const VIDEO = /pinimg\.com\/videos\//;
const IMAGE = /i\.pinimg\.com\/(?:originals|\d{2,4}x)\//;

/**
 * The pin's image; null if that would be a poster or a cover, or if the reply shows media in a field
 * that we do not know.
 */
function ownImage(pin: Pin, reply: string): readonly Draft[] | null {
  if (isCover(pin) || VIDEO.test(reply)) return null;
  const image = embeddedGif(pin) ?? draftImage(pin);
  return image.length === 0 && IMAGE.test(reply) ? null : image;
}

/** Whether the pin has parts that have moved. Its image shows only the first. */
function isCover({ story_pin_data: story, carousel_data: carousel }: Pin): boolean {
  const pages = story?.pages ?? [];
  const isStory = pages.length > 1 && pages.every(({ blocks }) => !hasValue(blocks));
  const slots = carousel?.carousel_slots;
  return isStory || (hasValue(carousel) && (!hasValue(slots) || (slots ?? []).length > 0));
}

function slotDraft(slot: Slot): readonly Draft[] {
  return hasValue(slot.videos) ? [draftVideo(slot.videos)] : draftImage(slot);
}

/**
 * The only embedded media that the platform hosts. A pin with another site's player has its image.
 */
function embeddedGif({ embed }: Pin): readonly Draft[] | null {
  const { src = null, type = null } = embed ?? {};
  const isOwn = type === "gif" && parseAddress(src)?.hostname === "i.pinimg.com";
  return isOwn ? [{ type: "image", url: src, guesses: [] }] : null;
}

/**
 * The author is the user who saved the pin, not the one who first uploaded it (as in the
 * recordings' index).
 */
function metadataOf(pin: Pin): MediaMetadata {
  const { pinner, native_creator: creator, closeup_attribution: attribution } = pin;
  return {
    title: firstText(pin.title, pin.grid_title),
    author: firstText(handleOf(pinner), handleOf(creator), handleOf(attribution)),
    caption: firstText(pin.closeup_unified_description, pin.description, pin.seo_description),
  };
}

/** The widget's reply has the profile's URL instead of the handle. */
function handleOf(person: Person): string | null {
  const path = parseAddress(person?.profile_url)?.pathname ?? "";
  return firstText(person?.username, /^\/([\w-]+)\/?$/.exec(path)?.[1], person?.full_name);
}

/** The platform writes a single blank when there is no text. */
function firstText(...texts: readonly (string | null | undefined)[]): string | null {
  const plain = texts.map((text) => decodeEntities(text ?? "").trim());
  return plain.find((text) => text !== "") ?? null;
}
