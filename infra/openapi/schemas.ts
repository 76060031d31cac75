import * as z from "zod/mini";
import { ERRORS } from "../../src/contract/errors.ts";
import {
  type ErrorBody,
  errorSchema,
  type MediaItem,
  type MediaMetadata,
  mediaItemSchema,
  mediaMetadataSchema,
  type ResolveRequest,
  type ResolveResponse,
  resolveRequestSchema,
  resolveResponseSchema,
  serviceSchema,
} from "../../src/contract/schemas.ts";
import { LIMITS } from "./limits.ts";

/** What zod's schemas cannot say of a field: its meaning, and rules that are functions in the code. */
interface Addition {
  readonly description: string;
  readonly format?: "uri";
  readonly enum?: readonly string[];
  readonly maxLength?: number;
}

type AdditionsTo<T> = { readonly [Field in keyof T & string]-?: Addition };

const REQUEST: AdditionsTo<ResolveRequest> = {
  service: { description: "Selects the accepted URLs and the price of an item." },
  url: {
    description:
      "The post's public HTTP(S) URL. The whole text counts, with its query and its fragment.",
    format: "uri",
    maxLength: LIMITS.url_characters,
  },
  max_results: {
    description:
      "The most items to return. So many are reserved; only the returned ones are charged.",
  },
};

const RESPONSE: AdditionsTo<ResolveResponse> = {
  ok: { description: "Always true." },
  service: { description: "The service of the request." },
  source_url: { description: "The request's URL, normalized, without its fragment." },
  item_count: { description: "How many items there are." },
  items: { description: "The media, in the post's own order." },
  metadata: { description: "Texts of the post, as far as they are known." },
  request_id: {
    description:
      "Names the request in the usage ledger. Quote it to support. X-Request-Id repeats it.",
  },
  credits_used: {
    description:
      "Credits charged: item_count times the service's credits per item. A replay has those of the " +
      "request that was charged.",
  },
};

const ITEM: AdditionsTo<MediaItem> = {
  type: { description: "What the file is." },
  url: {
    description: "Where the file is. The URL is temporary: use it at once.",
    maxLength: LIMITS.media_url_characters,
  },
};

const METADATA: AdditionsTo<MediaMetadata> = {
  title: { description: "Plain text.", maxLength: LIMITS.title_utf16_units },
  author: {
    description: "The handle, where the platform has one.",
    maxLength: LIMITS.author_utf16_units,
  },
  caption: { description: "Plain text.", maxLength: LIMITS.caption_utf16_units },
};

const ERROR: AdditionsTo<Pick<ErrorBody, "error" | "code" | "message" | "request_id">> = {
  error: { description: "Always true." },
  code: {
    description: "Stable; for diagnostics. Use the HTTP status for control flow.",
    enum: Object.keys(ERRORS),
  },
  message: { description: "For people. Its text may change." },
  request_id: { description: "Quote it to support. X-Request-Id repeats it." },
};

type Additions = Readonly<Record<string, Addition>>;

const NAMED: readonly (readonly [name: string, z.ZodMiniType, Additions])[] = [
  ["Service", serviceSchema, {}],
  ["ResolveRequest", resolveRequestSchema, REQUEST],
  ["ResolveResponse", resolveResponseSchema, RESPONSE],
  ["MediaItem", mediaItemSchema, ITEM],
  ["MediaMetadata", mediaMetadataSchema, METADATA],
  ["Error", errorSchema, ERROR],
];

/** The address of a schema in the document. */
export function schemaRef(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The contract's schemas by name, made from those that the service itself checks with. */
export function makeSchemas() {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of NAMED) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: "input", uri: schemaRef });
  return Object.fromEntries(
    NAMED.map(([name, , additions]) => [name, complete(schemas[name] ?? {}, additions)]),
  );
}

/** Within the document a schema needs neither a dialect nor an address of its own. */
function complete(made: z.core.JSONSchema.BaseSchema, additions: Additions) {
  const { $schema: _, $id: __, properties, ...schema } = made;
  if (properties === undefined) return schema;
  const fields = Object.entries(properties).map(([field, rules]) => {
    return [field, typeof rules === "object" ? { ...rules, ...additions[field] } : rules] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}
