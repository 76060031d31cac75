import { expiresAt, PublicMediaClient, PublicMediaError, recognize } from "public-media-client";

const POST = "https://x.com/sample_account/status/1900000000000000102";
const GONE = "https://x.com/sample_account/status/1900000000000000104";
const ALBUM = "https://t.me/sample_channel/110";

/**
 * Uses everything that the package offers. The runtimes' results are compared.
 * @param {{ baseUrl: string, apiKey: string, mediaUrl: string, path: string | null }} given
 */
export async function run({ baseUrl, apiKey, mediaUrl, path }) {
  /** @type {typeof fetch} */
  const send = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isMedia = url.protocol === "https:";
    return fetch(isMedia ? `${mediaUrl}/${url.host}${url.pathname}` : url, init);
  };
  const client = new PublicMediaClient({ baseUrl, apiKey, fetch: send });
  const first = await client.resolve(POST, { maxResults: 2 });
  const { idempotencyKey } = first;
  const again = await client.resolve(POST, { maxResults: 2, idempotencyKey });
  const many = [];
  for await (const one of client.resolveMany([ALBUM, GONE, "no URL"], { concurrency: 2 })) {
    many.push([one.index, one.ok ? one.answer.post.item_count : one.error.name]);
  }
  const [item] = first.post.items;
  if (item === undefined) throw new Error("no item");
  const refused = await client.resolve(POST, { service: "pinboard" }).catch((error) => error);
  return {
    items: first.post.items.map(({ type }) => type),
    credits: [first.credits, again.credits],
    replays: [first.isReplay, again.isReplay, again.requestId === first.requestId],
    many: many.sort(([a], [b]) => Number(a) - Number(b)),
    refused: [refused instanceof PublicMediaError, refused.name, refused.status],
    recognized: recognize("HTTPS://WWW.Instagram.com/p/CSampleCar1/#x"),
    expires: expiresAt({ url: "https://a.cdninstagram.com/a.jpg?oe=6B49D200" })?.toISOString(),
    download: await download(client, item, path),
  };
}

/**
 * @param {PublicMediaClient} client
 * @param {import("public-media-client").MediaItem} item
 * @param {string | null} path
 */
async function download(client, item, path) {
  if (path !== null) {
    const { sizeBytes, contentType } = await client.download(item, { path });
    return { sizeBytes, contentType };
  }
  const { body, contentType } = await client.download(item);
  const { byteLength: sizeBytes } = await new Response(body).arrayBuffer();
  return { sizeBytes, contentType };
}
