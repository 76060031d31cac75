import * as z from "zod/mini";
import type { Media, Post, Source, SourceTools } from "../../search/resolver.ts";
import { type Answer, notFound } from "../../upstream/answer.ts";
import { drifted } from "../../upstream/drift.ts";
import { readJson, textOf } from "../../upstream/json.ts";
import { unexpectedStatus } from "../../upstream/upstream.ts";
import { checkDrafts } from "./draft-check.ts";
import { failureOf, statusSchema } from "./failure.ts";
import { type PinDraft, readPin } from "./pin.ts";

const HOST = "widgets.pinterest.com";

/**
 * The endpoint behind embedded pins (the platform's pinit.js, 2026). It mostly returns images, in
 * two small sizes.
 */
export const widget: Source = { name: "widget", find };

async function find(post: Post, tools: SourceTools): Promise<Answer<Media>> {
  const query = new URLSearchParams({ pin_ids: post.id, sub: "www", base_scheme: "https" });
  const reply = await tools.upstream({
    url: `https://${HOST}/v3/pidgets/pins/info/?${query}`,
    hosts: [HOST],
    maxBytes: 1_000_000,
    maxRedirects: 0,
    headers: { accept: "application/json" },
  });
  if (!reply.ok) return reply;
  if (reply.value.status === 404) return notFound("no such pin");
  if (reply.value.status !== 200) return unexpectedStatus(reply.value);
  return checkDrafts(parsePinWidget(reply.value.body, post), tools);
}

const replySchema = z.extend(statusSchema, { data: z.optional(z.unknown()) });

const pinsSchema = z.array(
  z.looseObject({ id: z.nullish(z.string()), error: z.optional(z.unknown()) }),
);

/** Reads a reply's body. Ignores another pin's reply. */
export function parsePinWidget(body: string, post: Post): Answer<PinDraft> {
  const reply = readJson(body, replySchema);
  if (!reply.ok) return reply;
  const failure = failureOf(reply.value, body);
  if (failure !== null) return failure;
  const pins = pinsSchema.safeParse(reply.value.data);
  if (!pins.success) return drifted("no list of pins in the reply", "data", body);
  const [pin] = pins.data;
  if (pin === undefined || pin.error) return notFound("no such pin");
  if (pin.id !== post.id) return drifted("another pin's reply", "data.id", textOf(pin));
  return readPin(pin);
}
