import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import { type Media, metadataOf } from "../../search/resolver.ts";
import { parseAddress } from "../../upstream/addresses.ts";
import { type Answer, notFound, refused } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readShape, textOf } from "../../upstream/json.ts";
import { amount } from "../../upstream/renditions.ts";
import { bareCode } from "./shortcode.ts";

const text = z.catch(z.nullish(z.string()), null);

const nodeSchema = z.object({
  __typename: text,
  is_video: z.nullish(z.boolean()),
  video_url: z.nullish(z.string()),
  display_url: z.nullish(z.string()),
  dimensions: z.catch(z.nullish(z.object({ width: amount, height: amount })), null),
  display_resources: z.nullish(
    z.array(z.object({ src: z.string(), config_width: amount, config_height: amount })),
  ),
});
type Node = z.infer<typeof nodeSchema>;

const mediaSchema = z.extend(nodeSchema, {
  shortcode: z.string(),
  title: text,
  owner: z.nullish(z.object({ username: text, is_private: z.nullish(z.boolean()) })),
  edge_media_to_caption: z.catch(
    z.nullish(z.object({ edges: z.array(z.object({ node: z.object({ text }) })) })),
    null,
  ),
  edge_sidecar_to_children: z.nullish(z.object({ edges: z.array(z.object({ node: nodeSchema })) })),
});

/**
 * Reads a post in the platform's older GraphQL form, which embed pages still use for videos and
 * carousels (2026-10). A video without a file is one that its owner does not allow on other sites.
 */
export function readShortcodeMedia(media: unknown, code: string): Answer<Media> {
  const read = readShape(media, mediaSchema);
  if (!read.ok) return read;
  const { shortcode, title, owner, edge_media_to_caption: captions } = read.value;
  if (shortcode !== bareCode(code)) {
    return drifted("another post's reply", "shortcode", textOf(media));
  }
  if (owner?.is_private === true) return notFound("the account is private");
  const nodes = nodesOf(read.value).filter((node) => !isUnknown(node));
  if (nodes.some(isKept)) return refused("a video that is not to be embedded");
  const items = nodes.flatMap(toItem);
  if (items.length < Math.max(1, nodes.length)) {
    return drifted(`${items.length} of ${nodes.length} media`, "display_url", textOf(media));
  }
  const caption = captions?.edges[0]?.node.text;
  return success({ items, metadata: metadataOf({ title, author: owner?.username, caption }) });
}

/** The owner does not allow the video on other sites. */
function isKept(node: Node): boolean {
  return isVideo(node) && !isAddress(node.video_url);
}

/** A video's own image is only its poster, whichever of the fields says that it is a video. */
function isVideo({ __typename, is_video, video_url }: Node): boolean {
  return is_video === true || /Video$/.test(__typename ?? "") || isAddress(video_url);
}

/** A new kind of medium, whose image may be only a poster. */
function isUnknown(node: Node): boolean {
  const isNamed = Boolean(node.__typename) && !KINDS.test(node.__typename ?? "");
  return isNamed && (node.is_video ?? null) === null && !isVideo(node);
}

const KINDS = /(?:Image|Video|Sidecar)$/;

/** A carousel's own image is only its cover. */
function nodesOf(media: z.infer<typeof mediaSchema>): readonly Node[] {
  const { edge_sidecar_to_children: list, __typename } = media;
  const children = (list?.edges ?? []).map(({ node }) => node);
  const isSingle = /(?:Image|Video)$/.test(__typename ?? "") || (list ?? null) === null;
  const isCarousel = children.length > 0 || /Sidecar$/.test(__typename ?? "") || !isSingle;
  return isCarousel ? children : [media];
}

/** Empty for a medium without a URL. */
function toItem(node: Node): readonly MediaItem[] {
  const { video_url, display_url, dimensions, display_resources } = node;
  if (isVideo(node)) return isAddress(video_url) ? [{ type: "video", url: video_url }] : [];
  const photos = [
    { url: display_url, area: (dimensions?.width ?? 0) * (dimensions?.height ?? 0) },
    ...(display_resources ?? []).map(({ src, config_width, config_height }) => {
      return { url: src, area: config_width * config_height };
    }),
  ];
  const [best] = photos
    .toSorted((a, b) => b.area - a.area)
    .flatMap(({ url }) => (isAddress(url) ? [url] : []));
  return best === undefined ? [] : [{ type: "image", url: best }];
}

function isAddress(url: string | null | undefined): url is string {
  return parseAddress(url)?.protocol === "https:";
}
