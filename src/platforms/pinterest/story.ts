import { type Draft, draftImage, draftVideo, hasValue } from "./draft.ts";
import type { Block, Page, Pin } from "./pin-schema.ts";

/** A story has up to 20 pages of a few blocks (2024); each block looks at its page's pictures. */
const BLOCKS_MAX = 100;

/** Blocks of a page without media: text, links, and stickers (gallery-dl #6421, #7251). */
const DECORATION = /paragraph|sticker|text|link|mention|product/;

/**
 * The media of a story pin's pages in order, sounds last. If a pin has only one block, the block
 * shows the pin's own image. The pin names the original of that image, the block may not.
 */
export function readStory(pin: Pin): readonly Draft[] {
  const pages = pin.story_pin_data?.pages ?? [];
  const blocks = pages
    .flatMap((page) => (page.blocks ?? []).map((block) => ({ block, page })))
    .slice(0, BLOCKS_MAX);
  const own = blocks.length === 1 ? pin : null;
  const drafts = blocks.flatMap(({ block, page }) => readBlock(block, page, own));
  return drafts.toSorted((a, b) => Number(a.type === "audio") - Number(b.type === "audio"));
}

function readBlock(block: Block, page: Page, pin: Pin | null): readonly Draft[] {
  const kind = kindOf(block);
  const sound = block.audio?.audio_url ?? null;
  if (sound !== null) return [{ type: "audio", url: sound, guesses: [] }];
  const lists = [block.video, block.video_data, block.video_data_v2].filter(hasValue);
  if (kind.includes("video") || lists.length > 0) return [draftVideo(...lists)];
  if (DECORATION.test(kind) || kind.includes("music")) return [];
  const pictures = [block, block.image, block.image_data];
  // The page's own picture shows all of its blocks together, so it replaces only an image block.
  const around = kind.includes("image") ? [page, page.image] : [];
  return draftImage(pin, ...pictures, ...around);
}

/** The longest name of a kind has 40 (2024-11). */
const KIND_CHARACTERS_MAX = 100;

/** For example `image` for `story_pin_image_block` (resource) and `StoryPinImageBlock` (page). */
function kindOf({ type, __typename }: Block): string {
  const name = (type ?? __typename ?? "")
    .slice(0, KIND_CHARACTERS_MAX)
    .toLowerCase()
    .replaceAll("_", "");
  return name.replace(/^storypin|block$/g, "");
}
