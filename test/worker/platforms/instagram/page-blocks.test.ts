import { describe, expect, it } from "vitest";
import { ItemSearch } from "../../../../src/platforms/instagram/page-blocks.ts";
import { pkOfCode } from "../../../../src/platforms/instagram/shortcode.ts";

/** Synthetic: no real post, person or medium. */
const CODE = "CSampleCod1";
const OTHER = "COtherCode1";
const url = (name: string) => `https://scontent.cdninstagram.com/${name}`;
const photo = { media_type: 1, image_versions2: { candidates: [{ url: url("1.jpg") }] } };
const video = { media_type: 2, video_versions: [{ url: url("2.mp4") }] };
const told = { user: { username: "sample" }, caption: null };
const ITEM = { code: CODE, pk: pkOfCode(CODE), ...told, ...photo };
const CAROUSEL = { ...ITEM, media_type: 8, carousel_media: [photo, video] };

const block = (media: object) =>
  `<script type="application/json" data-sjs>${JSON.stringify({ xig_polaris_media: media })}</script>`;
const shown = (item: object | null, name: object = { code: CODE }) =>
  block({ ...name, video_versions: null, if_not_gated_logged_out: item });

/** Whether reading ends behind the block. */
const ends = (html: string) => new ItemSearch(CODE).take(html);

describe("reading a permalink page ends", () => {
  it.each([
    ["behind a photo that is shown", shown(ITEM)],
    ["behind a video that is shown", shown({ ...ITEM, ...video })],
    ["behind a whole carousel", shown({ ...CAROUSEL, carousel_media_count: 2 })],
    ["where only the gate has the name", shown({ ...photo, ...told })],
    ["where the post is gated", shown(null)],
    ["where it is gated beside an item", block(ITEM) + shown(null)],
  ])("%s", (_, html) => expect(ends(html)).toBe(true));

  it.each([
    ["an item without its gate", block(ITEM)],
    ["another post that is shown", shown({ ...ITEM, code: OTHER }, { note: CODE })],
    ["another post that is gated", shown(null, { code: OTHER, note: CODE })],
    ["a copy without the author", shown({ ...ITEM, user: null })],
    ["a copy that does not name the caption", shown({ ...ITEM, caption: undefined })],
    ["a copy that does not name its kind", shown({ ...ITEM, media_type: undefined })],
    ["a video's poster", shown({ ...ITEM, media_type: 2 })],
    ["a carousel's cover", shown({ ...ITEM, media_type: 8, carousel_media_count: 2 })],
    ["a carousel in part", shown({ ...CAROUSEL, carousel_media_count: 3 })],
    ["a carousel without a count", shown(CAROUSEL)],
    ["a photo with children", shown({ ...CAROUSEL, media_type: 1 })],
    ["a block that is cut", shown(ITEM).slice(0, -9)],
  ])("not behind %s", (_, html) => expect(ends(html)).toBe(false));
});
