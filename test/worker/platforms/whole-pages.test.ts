import { beforeAll, describe, expect, it } from "vitest";
import { PATIENCE } from "../../../src/upstream/patience.ts";
import { openUpstream, type Upstream } from "../../../src/upstream/upstream.ts";
import { PAGE_READERS, type Page, readablePages } from "../../support/pages.ts";
import { createVirtualTime } from "../../support/virtual-time.ts";

/**
 * Reading ends where the answer ends. What a source finds in the part of a page that it reads is what
 * it would find in the whole page.
 */

let pages: readonly Page[] = [];

beforeAll(async () => {
  pages = await readablePages();
});

/** Files that a source looks for beside the page are there. */
const FILE = { status: 200, headers: new Headers({ "content-type": "video/mp4" }), body: "" };
const TOOLS = { maxResults: 20, now: () => 0, log: () => {} };

/** Gives the source its page in pieces. Says how much of it was read. */
async function read({ source, post, html }: Page, pieceCharacters: number, isLeftEarly = true) {
  let readCharacters = 0;
  const upstream: Upstream = async ({ url, method, isWhole = () => false }) => {
    if (method === "HEAD") return { ok: true, value: { ...FILE, url: new URL(url) } };
    for (readCharacters = 0; readCharacters < html.length; ) {
      const piece = html.slice(readCharacters, readCharacters + pieceCharacters);
      readCharacters += piece.length;
      if (isWhole(piece) && isLeftEarly) break;
    }
    const body = html.slice(0, readCharacters);
    return { ok: true, value: { status: 200, headers: new Headers(), body, url: new URL(url) } };
  };
  const found = await source.find(post, { ...TOOLS, upstream });
  return { found, readCharacters };
}

describe.each(PAGE_READERS)("what %s finds", (reader) => {
  const own = () => pages.filter(({ name }) => name.startsWith(`${reader}:`));

  it.each([1, 50, 1_024, 16_384, 65_536])(
    "in pages that come in pieces of %d characters is what it finds in the whole pages",
    async (pieceCharacters) => {
      for (const page of own()) {
        const whole = await read(page, page.html.length, false);
        const part = await read(page, pieceCharacters);
        expect({ page: page.name, found: part.found }).toEqual({
          page: page.name,
          found: whole.found,
        });
      }
    },
  );

  it("comes before the end of some page", async () => {
    const rests = await Promise.all(
      own().map(async (page) => {
        const { found, readCharacters } = await read(page, 16);
        return { isFound: found.ok, isRead: readCharacters === page.html.length };
      }),
    );
    expect(rests.some(({ isFound, isRead }) => isFound && !isRead)).toBe(true);
  });

  it("comes at once from a page that hangs after its block, and leaves the page", async () => {
    let count = 0;
    for (const page of own()) {
      const { found, readCharacters } = await read(page, 16);
      if (readCharacters === page.html.length) continue;
      count++;
      const start = new TextEncoder().encode(page.html.slice(0, readCharacters));
      expect(await findInHanging(page, start)).toEqual({ found, isLeft: true, timers: 0 });
    }
    expect(count).toBeGreaterThan(0);
  });
});

/** Asks for a page whose bytes come to this point, and then nothing more, not even an end. */
async function findInHanging({ source, post }: Page, start: Uint8Array) {
  const { timer, pending } = createVirtualTime();
  let isLeft = false;
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(start),
      cancel: () => {
        isLeft = true;
      },
    });
  const upstream = openUpstream({
    fetch: async (_, init) =>
      init?.method === "HEAD" ? new Response(null, FILE) : new Response(body()),
    ...{ timer, patience: PATIENCE, userAgent: "test/1", egressUrl: null },
    budget: { requestsLeft: 100 },
    signal: new AbortController().signal,
  });
  const found = await source.find(post, { ...TOOLS, upstream });
  return { found, isLeft, timers: pending() };
}
