import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound, sourceRefused } from "../../upstream/answer.ts";
import { drifted, textFrom } from "../../upstream/drift.ts";
import { type UpstreamReply, unexpectedStatus } from "../../upstream/upstream.ts";
import { checkDrafts } from "./draft-check.ts";
import { PinSearch, QUERY } from "./page-data.ts";
import { type PinDraft, readPin } from "./pin.ts";

const HOST = "www.pinterest.com";

/** The pin's own page, which has its data as JSON for its scripts (pages recorded 2024). */
export const page: Source = { name: "page", find };

/** Reads the page up to the end of the script that names all kinds of media, if it is no story. */
async function find(post: Post, tools: SourceTools): Promise<Answer<Media>> {
  const pins = new PinSearch(post.id);
  const reply = await tools.upstream({
    url: `https://${HOST}/pin/${post.id}/`,
    hosts: [HOST],
    maxBytes: 3_000_000,
    headers: { accept: "text/html", "accept-language": "en" },
    isWhole: (piece) => pins.take(piece),
  });
  if (!reply.ok) return reply;
  return checkDrafts(readReply(reply.value, pins), tools);
}

function readReply(reply: UpstreamReply, pins: PinSearch): Answer<PinDraft> {
  if (reply.status === 404) return notFound("no such pin");
  if (reply.status !== 200) return unexpectedStatus(reply);
  const { pathname } = reply.url;
  if (/^\/login(?:\/|$)/.test(pathname)) return sourceRefused("led to the log-in");
  if (pathname === "/") return notFound("led to the home page");
  return pinOf(pins, reply.body);
}

/** Reads a page as the pin's media. Ignores other pins and profiles. */
export function parsePinPage(html: string, post: Post): Answer<PinDraft> {
  const pins = new PinSearch(post.id);
  pins.take(html);
  return pinOf(pins, html);
}

function pinOf(pins: PinSearch, html: string): Answer<PinDraft> {
  const pin = pins.end(html);
  if (pin !== null) return readPin(pin);
  if (/"__typename"\s*:\s*"PinNotFound"/.test(html)) {
    return notFound("the page says that there is no such pin");
  }
  return drifted("the page does not carry the pin", QUERY, textFrom(html, QUERY));
}
