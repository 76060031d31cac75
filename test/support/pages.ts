import { inject } from "vitest";
import * as z from "zod";
import { serviceSchema } from "../../src/contract/schemas.ts";
import type { Post, Source } from "../../src/search/resolver.ts";
import { postAt } from "./replies.ts";
import { CONFIGURED, repliesOfSources } from "./source-replies.ts";

/** A page that a source reads for a post. */
export interface Page {
  readonly name: string;
  readonly source: Source;
  readonly post: Post;
  readonly html: string;
}

/** Sources that leave the rest of a page unread once they have the answer. */
export const PAGE_READERS = [
  "short-video/embed",
  "short-video/watch",
  "photo-feed/permalink",
  "photo-feed/embed",
  "pinboard/page",
] as const;

/** A post to ask for where a recording names none. */
const ANY_URL: Readonly<Record<string, string>> = {
  "short-video": "https://www.tiktok.com/@any/video/1",
  "photo-feed": "https://www.instagram.com/p/CSampleAny1/",
  pinboard: "https://www.pinterest.com/pin/1/",
};

/** Every sample and every recording that is a page of one of these sources. */
export async function readablePages(): Promise<readonly Page[]> {
  const replies = await repliesOfSources();
  return PAGE_READERS.flatMap((name) => {
    const source = sourceNamed(name);
    const sampled = (replies.get(name) ?? []).map(({ file, post, body }) => {
      return { name: `${name}: ${file}`, source, post, html: body };
    });
    return [...sampled, ...recordedPages(name, source), ...MADE[name].map(madePage(name, source))];
  });
}

function sourceNamed(name: string): Source {
  const [service, own] = name.split("/");
  const { sources } = CONFIGURED[serviceSchema.parse(service)];
  const source = sources.find((one) => one.name === own);
  if (source === undefined) throw new Error(`no source ${name}`);
  return source;
}

function recordedPages(name: string, source: Source): readonly Page[] {
  const service = serviceSchema.parse(name.replace(/\/.*/, ""));
  return inject("recordings").flatMap(({ file, post_url: url, body }) => {
    if (!file.startsWith(`${service}/`)) return [];
    const isPost = /\d\/?$|\/p\/|\/reel\//.test(url ?? "");
    const post = postAt((isPost ? url : null) ?? ANY_URL[service] ?? "", service);
    return pagesWith(name, file, body).map((html, nth) => {
      return { name: `${name}: ${file} ${nth}`, source, post, html };
    });
  });
}

/** The recorded page itself. Of some pages only the data was recorded: it is put into a page. */
function pagesWith(name: string, file: string, body: string): readonly string[] {
  if (file.endsWith(".html")) return [body];
  if (/short-video\/rehydration-/.test(file)) {
    return [`<html><script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">${body}</script></html>`];
  }
  return name === "photo-feed/permalink" && /\/v1-/.test(file) ? permalinksWith(body) : [];
}

const itemSchema = z.object({ items: z.tuple([z.looseObject({})]) });

/** The start of a recorded permalink page, long enough for blocks of other posts. */
const PERMALINK_CHARACTERS = 250_000;

/** A permalink page with the item in its middle: bare, shown, repeated, and gated. */
function permalinksWith(body: string): readonly string[] {
  const recorded =
    inject("recordings").find((row) => /photo-feed\/page-/.test(row.file))?.body ?? "";
  const page = recorded.slice(0, PERMALINK_CHARACTERS);
  const whole: unknown = JSON.parse(body);
  const item = itemSchema.safeParse(whole).data?.items[0] ?? z.looseObject({}).parse(whole);
  const { code, image_versions2 } = item;
  const bare = block({ xig_polaris_media: item });
  const stub = block({ xig_polaris_media: { code, image_versions2 } });
  const shown = block({ xig_polaris_media: { code, if_not_gated_logged_out: item } });
  const gated = block({
    xig_polaris_media: { code, image_versions2: null, if_not_gated_logged_out: null },
  });
  const at = page.indexOf("</script>", page.length / 2) + "</script>".length;
  return [[bare], [shown], [stub, shown], [shown, stub], [stub, bare], [gated, bare]].map(
    (blocks) => page.slice(0, at) + blocks.join("") + page.slice(at),
  );
}

function block(data: object): string {
  return `<script type="application/json" data-sjs>${JSON.stringify(data)}</script>`;
}

/** Synthetic: no real post, person or medium. */
const EMBEDDED = {
  gql_data: {
    shortcode_media: {
      shortcode: "CSampleAny1",
      display_url: "https://scontent.cdninstagram.com/own.jpg",
      owner: { username: "sample" },
    },
  },
};
const context = (value: unknown) =>
  `<script>s.handle({"require":[{"contextJSON":${JSON.stringify(value)}}]})</script>`;

const REST = `${"<p>é</p>".repeat(100)}</html>`;

/** Pages that nobody has recorded. */
const MADE: Readonly<Record<(typeof PAGE_READERS)[number], readonly string[]>> = {
  "short-video/embed": [],
  "short-video/watch": [],
  "photo-feed/permalink": [],
  "photo-feed/embed": [
    `<html>${context(JSON.stringify(EMBEDDED))}${REST}`,
    `<html>${context("{}")}${context(JSON.stringify(EMBEDDED))}${REST}`,
  ],
  "pinboard/page": [],
};

function madePage(name: (typeof PAGE_READERS)[number], source: Source) {
  const service = serviceSchema.parse(name.replace(/\/.*/, ""));
  return (html: string, nth: number): Page => {
    const post = postAt(ANY_URL[service] ?? "", service);
    return { name: `${name}: made ${nth}`, source, post, html };
  };
}
