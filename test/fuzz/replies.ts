import fc from "fast-check";
import { applyDamage, damage } from "../support/damage.ts";
import {
  answering,
  askSource,
  repliesOfSources,
  type SourceReply,
} from "../support/source-replies.ts";
import { createTally, type Fuzz, pasteable } from "./fuzz.ts";

const CODES = /^(MEDIA_NOT_FOUND|UPSTREAM_(REJECTED|INVALID_RESPONSE|ERROR|TIMEOUT))$/;
/** A reply that was made to grow ends here; most sources read less. */
const CHARACTERS_MAX = 3_000_000;
/** Of a body that is shown. */
const SHOWN_CHARACTERS_MAX = 20_000;
const URL_CHARACTERS_MAX = 4_096;

/** Makes one place of a reply very long. */
const growth = fc.record({
  at: fc.noBias(fc.nat({ max: 9_999 })),
  sizeCharacters: fc.constantFrom(1, 1, 1, 5),
  times: fc.constantFrom(100, 1_000, 10_000, 100_000),
  text: fc.constantFrom(
    "",
    " ",
    "\\n",
    "9",
    "[",
    '{"a":',
    "<",
    '"',
    "\\",
    "&amp;",
    "https://t.co/1 ",
  ),
});
type Growth = typeof growth extends fc.Arbitrary<infer T> ? T : never;

function grow(body: string, { at, sizeCharacters, times, text }: Growth): string {
  const from = Math.floor((at / 10_000) * body.length);
  const part = text === "" ? body.slice(from, from + sizeCharacters * 40) : text;
  return (body.slice(0, from) + part.repeat(times) + body.slice(from)).slice(0, CHARACTERS_MAX);
}

const change = fc.record({
  damages: fc.array(damage, { maxLength: 4 }),
  growth: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: growth }),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changed(body: string, { damages, growth }: Change): string {
  const damaged = damages.reduce(applyDamage, body);
  return growth === null ? damaged : grow(damaged, growth);
}

/** @throws Error for an outcome that no source may have */
async function judge(reply: SourceReply, body: string): Promise<string> {
  const found = await askSource(reply, answering(reply, body));
  if (!found.ok) {
    const { code, cause } = found.failure;
    if (!CODES.test(code) || cause.includes("exception")) throw new Error(`${code}: ${cause}`);
    return code;
  }
  const foreign = found.value.items.find(({ url }) => !isOwn(url, reply));
  if (foreign !== undefined) throw new Error(`a foreign address: ${foreign.url}`);
  return "OK";
}

function isOwn(url: string, { resolver, source }: SourceReply): boolean {
  const { origin, hostname, href, port, protocol } = new URL(url);
  if (url.length > URL_CHARACTERS_MAX || href !== url) return false;
  if (source.mediaOrigins?.includes(origin)) return true;
  const domains = resolver.mediaDomains;
  const isOnHost = domains.some((domain) => `.${hostname}`.endsWith(`.${domain}`));
  return isOnHost && protocol === "https:" && port === "";
}

let known: Promise<readonly SourceReply[]> | undefined;

/** Small replies more often than large ones: they take less time. */
async function allReplies(): Promise<readonly SourceReply[]> {
  const replies = [...(await repliesOfSources()).values()].flat();
  return replies.flatMap((reply) => {
    const weight = reply.body.length < 20_000 ? 20 : reply.body.length < 200_000 ? 4 : 1;
    return Array.from({ length: weight }, () => reply);
  });
}

/** Replies of every source, damaged and grown: a documented outcome, and the platform's own media. */
export const fuzzReplies: Fuzz = async (seed, cases) => {
  known ??= allReplies();
  const replies = await known;
  const tally = createTally();
  const property = fc.asyncProperty(
    fc.nat({ max: replies.length - 1 }),
    change,
    async (at, one) => {
      const reply = replies[at];
      if (reply !== undefined) tally.add(await judge(reply, changed(reply.body, one)));
    },
  );
  const report = await fc.check(property, { seed, numRuns: cases });
  return tally.findings(
    pasteable(report, ([at, one]) => {
      const reply = replies[at];
      const body = reply === undefined ? "" : changed(reply.body, one);
      const name = `${reply?.resolver.service}/${reply?.source.name}`;
      const find = `known("${name}").find(({ file }) => file === "${reply?.file}")`;
      const claim = `await claim(reply, ${JSON.stringify(body.slice(0, SHOWN_CHARACTERS_MAX))});`;
      const lines = [`const reply = ${find};`, `if (reply !== undefined) ${claim}`];
      return `// test/worker/platforms/damaged.test.ts\nit("is read", async () => {\n  ${lines.join("\n  ")}\n});`;
    }),
  );
};
