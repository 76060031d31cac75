/**
 * Replies that a hostile page could be: a real one, grown at one place to a given size with text that
 * costs a careless reader the square of its length.
 */

/** What a place is filled with. */
const UNITS: readonly string[] = [
  ...[" ", "\n", " \n", "\u00a0", "x", "0", "_", "/", "@", "a@", "a_", "é", "\u{1f600}"],
  ...["\\", '"', '\\"', ":", "//", "http://", "https://t.co/", "https://t.co/a ", ".mp4?", ","],
  ...["&", "&amp;", "&nbsp;", "&#", "<", "<br>", "<p>", "</p>", "<!--", "<div class='Caption'>"],
  ...["<script", "<script>", "</script>", '<script type="application/json" data-sjs>{}'],
  ...['id="__UNIVERSAL_DATA_FOR_REHYDRATION__"', '<script id="SIGI_STATE"', 'id="loginForm"'],
  ...['data-post="', 'data-post="sample/1" ', '<a href="/sample/1?', '"contextJSON":"'],
  ...["[", "{", '{"a":', "[],", "{},", '"a":1,', "background-image:url("],
];

/** So many places of a reply are tried. */
const PLACES = 16;

/** A reply, made when it is asked for, since most are not. */
export interface GrownReply {
  /** What was repeated where. */
  readonly name: string;
  /** What was repeated. */
  readonly unit: string;
  readonly body: () => string;
}

/** All ways to grow a reply to about `sizeBytes`. */
export function* grownReplies(body: string, sizeBytes: number): Generator<GrownReply> {
  const json = jsonIn(body);
  if (json !== null) yield* grownJson(json, sizeBytes);
  if (json?.before !== "") yield* grownText(body, sizeBytes);
}

/**
 * The same reply with ordinary content up to about `sizeBytes`: once behind it, once before it. Reading
 * ends at the block that holds the media, so only a page whose block stands at the end is read whole.
 */
export function benignReplies(body: string, sizeBytes: number): readonly string[] {
  const restBytes = Math.max(0, sizeBytes - byteLength(body));
  const json = jsonIn(body);
  if (json?.before === "" && isObject(json.value)) {
    const text = "An ordinary sentence of an ordinary post. ".repeat(10);
    const row = { id: 71, text, likes: 12 };
    const count = Math.floor(restBytes / (JSON.stringify(row).length + 1));
    const ordinary = Array.from({ length: count }, () => row);
    const grown = [
      { ...json.value, ordinary },
      { ordinary, ...json.value },
    ];
    return grown.map((value) => JSON.stringify(value));
  }
  const paragraph = '<p class="ordinary">An ordinary sentence of an ordinary page.</p>\n';
  const page = paragraph.repeat(Math.floor(restBytes / paragraph.length));
  return [body + page, page + body];
}

/** A reply's JSON, or that of the longest script of a page, with what stands around it. */
interface Json {
  readonly before: string;
  readonly value: unknown;
  readonly after: string;
}

function jsonIn(body: string): Json | null {
  const whole = parsed(body);
  if (whole !== undefined) return { before: "", value: whole, after: "" };
  const scripts = [...body.matchAll(/<script[^>]*>(\{.*?\})<\/script/gs)].flatMap((match) => {
    const value = parsed(match[1] ?? "");
    return value === undefined ? [] : [{ match, value }];
  });
  const [longest] = scripts.toSorted((a, b) => b.match[0].length - a.match[0].length);
  if (longest === undefined) return null;
  const start = longest.match.index + longest.match[0].indexOf("{");
  const end = start + (longest.match[1] ?? "").length;
  return { before: body.slice(0, start), value: longest.value, after: body.slice(end) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* grownJson({ before, value, after }: Json, sizeBytes: number): Generator<GrownReply> {
  const around = (inner: unknown) => before + JSON.stringify(inner) + after;
  const restBytes = Math.max(0, sizeBytes - byteLength(around(value)));
  for (const [name, path] of placesIn(value)) {
    const there = valueAt(value, path);
    if (Array.isArray(there)) {
      const fillers: readonly unknown[] = [there[0] ?? {}, {}, [], null];
      for (const filler of fillers) {
        const count = Math.floor(restBytes / (byteLength(JSON.stringify(filler)) + 1));
        const list = () => [...there, ...Array.from({ length: count }, () => filler)];
        yield {
          name: `${name}: items ${JSON.stringify(filler).slice(0, 20)}`,
          unit: `items ${JSON.stringify(filler).slice(0, 20)}`,
          body: () => around(replaced(value, path, list())),
        };
      }
      continue;
    }
    for (const unit of UNITS) {
      const cost = byteLength(JSON.stringify(unit)) - 2;
      const text = () => `${String(there)}${unit.repeat(Math.floor(restBytes / cost))}x`;
      yield {
        name: `${name}: ${unit.trim() || JSON.stringify(unit)}`,
        unit,
        body: () => around(replaced(value, path, text())),
      };
    }
  }
}

type Path = readonly (string | number)[];

/** One place for each name that a string, a number or a list has in the JSON, the shallowest. */
function placesIn(root: unknown): ReadonlyMap<string, Path> {
  const places = new Map<string, Path>();
  const queue: { readonly value: unknown; readonly path: Path }[] = [{ value: root, path: [] }];
  for (const { value, path } of queue) {
    const name = nameOf(path);
    if (name !== "" && !isObject(value) && !places.has(name)) places.set(name, path);
    for (const [step, child] of childrenOf(value))
      queue.push({ value: child, path: [...path, step] });
  }
  return places;
}

/** The last two names on the way, without the numbers of lists. */
function nameOf(path: Path): string {
  const names = path.filter((step) => typeof step === "string");
  return names.slice(-2).join(".");
}

/** Of a list the first two. */
function childrenOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.slice(0, 2).entries();
  return isObject(value) ? Object.entries(value) : [];
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const step of path) {
    value = typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value;
}

function replaced(root: unknown, path: Path, by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return by;
  if (Array.isArray(root)) return root.with(Number(step), replaced(root[Number(step)], rest, by));
  return isObject(root) ? { ...root, [step]: replaced(root[step], rest, by) } : root;
}

/** Places behind a tag and within an attribute's value, spread evenly over the reply. */
function* grownText(body: string, sizeBytes: number): Generator<GrownReply> {
  const restBytes = Math.max(0, sizeBytes - byteLength(body));
  const behind = [...body.matchAll(/>|="/g)].map(({ 0: mark, index }) => index + mark.length);
  const spread = Array.from({ length: PLACES }, (_, nth) =>
    Math.floor((behind.length * (nth + 0.5)) / PLACES),
  );
  const places = new Set([0, ...spread.flatMap((nth) => behind[nth] ?? []), body.length]);
  for (const place of places) {
    for (const unit of UNITS) {
      const count = Math.floor(restBytes / byteLength(unit));
      const grown = () => `${body.slice(0, place)}${unit.repeat(count)}x${body.slice(place)}`;
      yield { name: `at ${place}: ${unit.trim() || JSON.stringify(unit)}`, unit, body: grown };
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
