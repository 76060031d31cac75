import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import {
  type Media,
  metadataOf,
  type Post,
  type Source,
  type SourceTools,
} from "../../search/resolver.ts";
import { type Answer, notFound, sourceRefused } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson, readShape } from "../../upstream/json.ts";
import { ScriptsById } from "../../upstream/scripts.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { addressesSchema, isChallenge, readSlideshow, videoAddresses } from "./media.ts";

const HOST = "www.tiktok.com";

/** Id of the script that has the post. */
const STATE = "__FRONTITY_CONNECT_STATE__";

const text = z.catch(z.nullish(z.string()), null);

/** One image, in any of the forms seen until 2026-10. */
const imageSchema = z.pipe(
  z.object({ imageURL: addressesSchema, displayImage: addressesSchema, url: addressesSchema }),
  z.transform(({ imageURL, displayImage, url }) => [...imageURL, ...displayImage, ...url]),
);

/** Both lists show the same images. Null if there is neither. */
const imagesSchema = z.pipe(
  z.object({
    images: z.nullish(z.array(imageSchema)),
    displayImages: z.nullish(z.array(addressesSchema)),
  }),
  z.transform(({ images, displayImages }) => ({
    images: images?.length ? images : (displayImages ?? images ?? null),
  })),
);

const videoDataSchema = z.object({
  itemInfos: z.object({
    id: z.string(),
    text,
    video: z.nullish(z.object({ urls: addressesSchema })),
  }),
  authorInfos: z.catch(z.nullish(z.object({ uniqueId: text })), null),
  musicInfos: z.catch(z.nullish(z.object({ playUrl: addressesSchema })), null),
  imagePostInfo: z.nullish(imagesSchema),
});

type VideoData = z.infer<typeof videoDataSchema>;

const stateSchema = z.object({
  source: z.object({ data: z.record(z.string(), z.unknown()) }),
});
const errorSchema = z.object({ isError: z.literal(true) });
const pageSchema = z.object({ videoData: videoDataSchema });

/** The page that sites embed for a single post. It needs no cookie (2026-10). */
export const embed: Source = { name: "embed", find };

/** For a missing post the status is 400. Reads the page up to the end of its state. */
async function find(post: Post, { upstream }: SourceTools): Promise<Answer<Media>> {
  const scripts = new ScriptsById(STATE);
  const reply = await upstream({
    url: `https://${HOST}/embed/v2/${post.id}`,
    hosts: [HOST],
    maxBytes: 1_000_000,
    isWhole: (piece) => scripts.take(piece, STATE),
    headers: { "accept-language": "en", referer: `https://${HOST}/` },
  });
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  const read = status < 500 ? readState(scripts, body, post) : unexpectedStatus(reply.value);
  const isTold = status === 200 || (!read.ok && read.failure.kind === "notFound");
  return isTold ? read : unexpectedStatus(reply.value);
}

/** Reads an embed page as the post's media. Ignores another post's page. */
export function parseShortVideoEmbed(html: string, post: Post): Answer<Media> {
  const scripts = new ScriptsById(STATE);
  scripts.take(html);
  return readState(scripts, html, post);
}

function readState(scripts: ScriptsById, html: string, post: Post): Answer<Media> {
  const script = scripts.script(STATE)?.text() ?? null;
  if (script === null) {
    if (isChallenge(html)) return sourceRefused("challenge page");
    return drifted("no state in the page", STATE, html);
  }
  const state = readJson(script, stateSchema);
  if (!state.ok) return state;
  const value = state.value.source.data[`/embed/v2/${post.id}`];
  if (errorSchema.safeParse(value).success) return notFound("the page's error");
  const page = readShape(value, pageSchema);
  return page.ok ? mediaOf(page.value.videoData, post, script) : page;
}

function mediaOf(data: VideoData, post: Post, script: string): Answer<Media> {
  const { itemInfos, authorInfos } = data;
  if (itemInfos.id !== post.id) return drifted("another post's page", "itemInfos.id", script);
  const shown = itemsOf(data, script);
  if (!shown.ok) return shown;
  const metadata = metadataOf({ author: authorInfos?.uniqueId, caption: itemInfos.text });
  return success({ items: shown.value, metadata });
}

function itemsOf(
  { itemInfos, musicInfos, imagePostInfo }: VideoData,
  script: string,
): Answer<readonly MediaItem[]> {
  const images = imagePostInfo?.images ?? [];
  if (images.length > 0) return readSlideshow(images, musicInfos?.playUrl ?? []);
  // The video of an image post is only its sound.
  if (imagePostInfo?.images === null) {
    return drifted("an image post without images", "imagePostInfo", script);
  }
  const [url] = videoAddresses(itemInfos.video?.urls ?? []);
  if (url === undefined) return drifted("item: no address that plays", "itemInfos.video", script);
  return success([{ type: "video", url }]);
}
