import fc from "fast-check";

const ODD = [
  ..."/?#:@.%-_~ \\\t\n\0é１。",
  ...[
    "//",
    "/./",
    "/../",
    "%2e%2E",
    "%2f",
    "%00",
    "%31",
    "--",
    "::443",
    ":443",
    ":80",
    "@",
    "www.",
  ],
  ...["/s/", "/i/web/", "/sent/", "/photo/1", "/video/22", "audio", "highlights", "stories", "..."],
  ..."\u0085\u00a0\u200b\u3000\ufeff\u{1f600}",
];

/** One change of a URL's text. */
const mutation = fc.record({
  how: fc.constantFrom("insert", "replace", "delete", "repeat", "case", "host", "path", "grow"),
  at: fc.noBias(fc.nat({ max: 9_999 })),
  sizeCharacters: fc.nat({ max: 6 }),
  text: fc.oneof(
    fc.constantFrom(...ODD),
    fc.string({ maxLength: 3 }),
    fc.string({ unit: "binary", maxLength: 2 }),
    fc.stringMatching(/^[A-Za-z0-9_.-]{1,4}$/),
  ),
  other: fc.nat(),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(url: string, mutation: Mutation, all: readonly string[]): string {
  const { how, text, sizeCharacters } = mutation;
  const from = Math.floor((mutation.at / 10_000) * (url.length + 1));
  const [head, tail] = [url.slice(0, from), url.slice(from)];
  const part = tail.slice(0, sizeCharacters);
  const rest = tail.slice(sizeCharacters);
  const other = all[mutation.other % all.length] ?? "";
  if (how === "insert") return head + text + tail;
  if (how === "replace") return head + text + rest;
  if (how === "delete") return head + rest;
  if (how === "repeat") return head + part + part + rest;
  if (how === "case") return head + swapCase(part) + rest;
  if (how === "grow") return head + part.slice(0, 1).repeat(sizeCharacters * 11) + tail;
  return how === "host" ? pathless(other) + pathOf(url) : pathless(url) + pathOf(other);
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}

function pathOf(url: string): string {
  return url.slice(pathless(url).length);
}

/** Up to the slash behind the authority. */
function pathless(url: string): string {
  const slash = url.indexOf("/", url.indexOf("://") + 3);
  return slash === -1 ? url : url.slice(0, slash);
}

/** URLs close to these ones: up to three changes each. */
export function near(all: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...all), fc.array(mutation, { maxLength: 3 }))
    .map(([base, list]) => list.reduce((text, one) => mutate(text, one, all), base));
}
