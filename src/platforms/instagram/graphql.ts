import * as z from "zod/mini";
import { success } from "../../contract/result.ts";
import type { MediaItem } from "../../contract/schemas.ts";
import { type Media, metadataOf } from "../../search/resolver.ts";
import { type Answer, notFound, refused } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readShape, textOf } from "../../upstream/json.ts";
import { bareCode } from "./shortcode.ts";

const text = z.catch(z.nullish(z.string()), null);
const size = z.catch(z.nullish(z.number()), null);

const nodeSchema = z.object({
  is_video: z.nullish(z.boolean()),
  video_url: z.nullish(z.string()),
  display_url: z.nullish(z.string()),
  dimensions: z.catch(z.nullish(z.object({ width: size, height: size })), null),
  display_resources: z.nullish(
    z.array(z.object({ src: z.string(), config_width: size, config_height: size })),
  ),
});
type Node = z.infer<typeof nodeSchema>;

const mediaSchema = z.extend(nodeSchema, {
  __typename: text,
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
  const nodes = nodesOf(read.value);
  if (nodes.some(isKept)) return refused("a video that is not to be embedded");
  const items = nodes.flatMap(toItem);
  if (items.length < Math.max(1, nodes.length)) {
    return drifted(`${items.length} of ${nodes.length} media`, "display_url", textOf(media));
  }
  const caption = captions?.edges[0]?.node.text;
  return success({ items, metadata: metadataOf({ title, author: owner?.username, caption }) });
}

/** The owner does not allow the video on other sites. */
function isKept({ is_video, video_url }: Node): boolean {
  return is_video === true && !isAddress(video_url);
}

/** A carousel's own image is only its cover. */
function nodesOf(media: z.infer<typeof mediaSchema>): readonly Node[] {
  const children = (media.edge_sidecar_to_children?.edges ?? []).map(({ node }) => node);
  return children.length > 0 || /Sidecar$/.test(media.__typename ?? "") ? children : [media];
}

/** Empty for a medium without a URL. */
function toItem(node: Node): readonly MediaItem[] {
  const { is_video, video_url, display_url, dimensions, display_resources } = node;
  if (is_video === true) return isAddress(video_url) ? [{ type: "video", url: video_url }] : [];
  const photos = [
    { url: display_url, area: areaOf(dimensions?.width, dimensions?.height) },
    ...(display_resources ?? []).map(({ src, config_width, config_height }) => {
      return { url: src, area: areaOf(config_width, config_height) };
    }),
  ];
  const [best] = photos
    .toSorted((a, b) => b.area - a.area)
    .flatMap(({ url }) => (isAddress(url) ? [url] : []));
  return best === undefined ? [] : [{ type: "image", url: best }];
}

type Length = number | null | undefined;

function areaOf(width: Length, height: Length): number {
  return (width ?? 0) * (height ?? 0);
}

function isAddress(url: string | null | undefined): url is string {
  return URL.parse(url ?? "")?.protocol === "https:";
}
