import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { applyDamage, damage, fieldsOf } from "../../support/damage.ts";
import {
  answering,
  askSource,
  CONFIGURED,
  repliesOfSources,
  type SourceReply,
} from "../../support/source-replies.ts";

/**
 * Every source of every service, with replies that are damaged: the outcome is a documented one,
 * and media lies on the platform's own hosts, whatever came.
 */

const CODES = /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR|TIMEOUT))$/;
const SOURCES = Object.values(CONFIGURED).flatMap(({ service, sources }) =>
  sources.map(({ name }) => `${service}/${name}`),
);
/** Their replies say nothing of the post: the request alone tells which it is. */
const NAMELESS = /\/cobalt$/;
/** The same damages every time; `npm run fuzz` looks for others. */
const SEEDED = { seed: 1 };
const RUNS_A_SOURCE = 300;
/** Larger replies take a share of the runs that their size leaves time for. */
const CHARACTERS_A_SOURCE = 40_000_000;

let replies: Awaited<ReturnType<typeof repliesOfSources>> = new Map();

beforeAll(async () => {
  replies = await repliesOfSources();
});

function known(name: string): readonly SourceReply[] {
  const found = replies.get(name) ?? [];
  if (found.length === 0) throw new Error(`${name} has no sample: add one to infra/local/samples`);
  return found;
}

/** Replies of other posts; those that are the same file are of one album. */
function othersOf({ post }: SourceReply, all: readonly SourceReply[]): readonly SourceReply[] {
  const own = all.filter((reply) => reply.post.id === post.id).map(({ file }) => file);
  return all.filter(({ file, body }) => !own.includes(file) && !body.includes(post.id));
}

function isOwn(url: string, { resolver, source }: SourceReply): boolean {
  const { origin, protocol, hostname, port } = new URL(url);
  if (source.mediaOrigins?.includes(origin)) return true;
  const { mediaDomains } = resolver;
  const isOnHost = mediaDomains.some((domain) => `.${hostname}`.endsWith(`.${domain}`));
  return protocol === "https:" && port === "" && isOnHost;
}

async function claim(reply: SourceReply, body: string): Promise<void> {
  const found = await askSource(reply, answering(reply, body));
  if (!found.ok) {
    expect(found.failure.code).toMatch(CODES);
    expect(found.failure.cause).not.toContain("exception");
    return;
  }
  expect(found.value.items.length).toBeGreaterThan(0);
  expect(found.value.items.filter(({ url }) => !isOwn(url, reply))).toEqual([]);
}

describe.each(SOURCES)("a damaged reply of %s", (name) => {
  it("is read before it is damaged", async () => {
    const read = await Promise.all(known(name).map((reply) => askSource(reply, answering(reply))));
    expect(read.filter(({ ok }) => ok).length).toBeGreaterThan(0);
    for (const found of read) {
      const urls = found.ok ? found.value.items.map(({ url }) => url) : [];
      expect(urls.filter((url) => url.includes("/other-"))).toEqual([]);
    }
  });

  it("never throws, never gives a foreign address, and fails with a documented code", async () => {
    const damages = fc.array(damage, { minLength: 1, maxLength: 4 });
    const share = known(name).length;
    for (const reply of known(name)) {
      const runs = Math.min(RUNS_A_SOURCE, CHARACTERS_A_SOURCE / reply.body.length) / share;
      const property = fc.asyncProperty(damages, (list) =>
        claim(reply, list.reduce(applyDamage, reply.body)),
      );
      await fc.assert(property, { ...SEEDED, numRuns: Math.ceil(runs) });
    }
  }, 60_000);

  it.skipIf(NAMELESS.test(name))(
    "is never taken for another post's",
    async () => {
      const damages = fc.array(damage, { maxLength: 2 });
      for (const reply of known(name)) {
        for (const other of othersOf(reply, known(name))) {
          const property = fc.asyncProperty(damages, async (list) => {
            const body = list.reduce(applyDamage, other.body);
            const found = await askSource(reply, answering({ ...other, request: null }, body));
            expect(found.ok && found.value.items).toBe(false);
          });
          await fc.assert(property, { ...SEEDED, numRuns: 5 });
        }
      }
    },
    60_000,
  );
});

describe.each([
  ["of noise", "x"],
  ["of quotes", '"\\'],
  ["of brackets", "["],
  ["of objects", '{"response":{"data":'],
  ["of digits", "9"],
  ["of blanks", " "],
  ["of tags", "<"],
  ["of open scripts", '<script type="application/json" data-sjs>{"'],
  ["of closed scripts", "<script>{}</script>"],
  ["of the post's id", null],
])("megabytes %s", (_, unit) => {
  it.each(SOURCES)("end the attempt at %s, and no isolate", async (name) => {
    const [reply] = known(name);
    if (reply === undefined) return;
    const text = unit ?? `<script>{"${reply.post.id}":`;
    for (const sizeCharacters of [5_000_000, 900_000]) {
      const begin = performance.now();
      await claim(reply, text.repeat(sizeCharacters / text.length));
      expect(performance.now() - begin).toBeLessThan(5_000);
    }
  });
});

describe("the damages", () => {
  const FIELDS = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`field${at}`, at]));
  const BODY = JSON.stringify(FIELDS);
  const SAMPLED = 6_000;

  /** How many of the damages begin in each tenth of a reply. */
  function tenths(body: string, isField: boolean): readonly number[] {
    const counts = Array.from({ length: 10 }, () => 0);
    for (const one of fc.sample(damage, { numRuns: SAMPLED, seed: 1 })) {
      const how = isField ? "null" : "cut";
      const damaged = applyDamage(body, { ...one, how, sizeCharacters: 1 });
      let at = 0;
      while (at < body.length && body[at] === damaged[at]) at++;
      const tenth = Math.floor(((at % body.length) / body.length) * 10);
      counts[tenth] = (counts[tenth] ?? 0) + 1;
    }
    return counts;
  }

  it.each([true, false])("hit each tenth of a reply as often (fields: %s)", (isField) => {
    for (const count of tenths(BODY, isField)) {
      expect(count).toBeGreaterThan(SAMPLED / 10 / 1.25);
      expect(count).toBeLessThan((SAMPLED / 10) * 1.25);
    }
  });

  it("find the fields of JSON, of JSON within a string, and of markup", () => {
    const nested = JSON.stringify({ inner: JSON.stringify({ a: 'x"y', b: [1, { c: 2 }] }) });
    const page = `<a href="https://a.example/" class="b"><script>${nested}</script>`;
    const found = fieldsOf(page).map(({ name, valueFrom, to }) => [
      name,
      page.slice(valueFrom, to),
    ]);
    expect(found).toEqual([
      ["href", '"https://a.example/"'],
      ["class", '"b"'],
      ["inner", nested.slice(9, -1)],
      ["a", '\\"x\\\\\\"y\\"'],
      ["b", '[1,{\\"c\\":2}]'],
      ["c", "2"],
    ]);
  });

  it("change a reply in most cases", () => {
    const [sample] = known("microblog/syndication");
    const changed = fc
      .sample(damage, { numRuns: 1000, seed: 1 })
      .filter((one) => applyDamage(sample?.body ?? "", one) !== sample?.body);
    expect(changed.length).toBeGreaterThan(900);
  });
});
