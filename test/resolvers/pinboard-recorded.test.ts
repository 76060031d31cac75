import { expect, inject, it } from "vitest";
import { postAt, resolve, summary } from "./replies.ts";

/** A recording without a post's address, with the pin that it is of; any pin for a page of none. */
const UNNAMED: Readonly<Record<string, string>> = {
  "pinboard/relay-storypin-cosmic.json": "52213676923889828",
  "pinboard/page-user-negative.html": "1",
};

const recordings = inject("recordings").flatMap((row) => {
  if (!row.file.startsWith("pinboard/")) return [];
  const url = row.post_url ?? `https://www.pinterest.com/pin/${UNNAMED[row.file]}/`;
  return [{ ...row, post: postAt(url, "pinboard") }];
});

it.each(recordings)("a recorded reply gives what it shows: $file", async (recording) => {
  const { post, body, status, items, author } = recording;
  const found = await resolve(post, "pinboard", () => new Response(body));
  const listed = items.map((item) => `${item.type} ${item.file_name}`);
  expect(summary(found)).toEqual(status === "ok" ? listed : "UPSTREAM_INVALID_RESPONSE");
  if (found.ok) expect(found.value.metadata.author).toBe(author);
});
