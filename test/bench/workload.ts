import type { Call } from "./load.ts";
import type { Stubs } from "./stubs.ts";

const POST_ID = "1900000000000000101";

/** A client's call and its expected answer. */
export const WORKLOADS = {
  /** A post with media. */
  resolve: { status: 200, url: `https://x.com/sample_account/status/${POST_ID}`, keyEnd: "" },
  /** A URL that is no post's. */
  refuse: { status: 400, url: "https://x.com/sample_account", keyEnd: "" },
  /** A key that cannot be one. */
  mistype: { status: 401, url: `https://x.com/sample_account/status/${POST_ID}`, keyEnd: "x" },
} as const;
export type Workload = (typeof WORKLOADS)[keyof typeof WORKLOADS];

/** The clients' calls, which use the keys in turn. */
export function calls({ keys }: Stubs, workload: Workload): () => Call {
  const body = JSON.stringify({ service: "microblog", url: workload.url, max_results: 20 });
  const made = keys.map((key) => ({
    headers: {
      authorization: `Bearer ${key}${workload.keyEnd}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
    },
    body,
  }));
  return cycle(made);
}

/** The platform's answer: a post with that many photos, padded to a size with unread text. */
export function upstreamReply({ items = 4, sizeBytes = 0 } = {}): string {
  const mediaDetails = Array.from({ length: items }, (_, index) => ({
    type: "photo",
    media_url_https: `https://pbs.twimg.com/media/sample-${index}.jpg`,
    ext_media_availability: { status: "Available" },
    original_info: { width: 1200, height: 900, focus_rects: [] },
    sizes: { large: { w: 1200, h: 900, resize: "fit" }, thumb: { w: 150, h: 150, resize: "crop" } },
  }));
  const reply = {
    __typename: "Tweet",
    id_str: POST_ID,
    lang: "en",
    text: "Four boats in the harbour https://t.co/abcdefghij",
    display_text_range: [0, 25],
    created_at: "2026-11-01T00:00:00.000Z",
    user: { id_str: "1", name: "Sample", screen_name: "sample_account", verified: false },
    entities: { urls: [], media: [{ url: "https://t.co/abcdefghij", indices: [26, 49] }] },
    mediaDetails,
    padding: "",
  };
  const missing = sizeBytes - JSON.stringify(reply).length;
  const filler = "what nobody reads, ".repeat(Math.max(0, missing) / 19 + 1);
  return JSON.stringify({ ...reply, padding: filler.slice(0, Math.max(0, missing)) });
}

/**
 * Counts over all loads together. Each load continues where the last ended, so that no key reaches
 * its limit.
 */
function cycle<T>(values: readonly T[]): () => T {
  let taken = 0;
  return () => {
    const value = values[taken++ % values.length];
    if (value === undefined) throw new Error("there is nothing to repeat");
    return value;
  };
}
