import fc from "fast-check";

/** What can happen to a reply's text, at any place of it. */
const TEXT_DAMAGES = ["cut", "truncate", "flip", "insert", "repeat", "redirect"] as const;
/** What can happen to one of its fields: a JSON field, or an attribute of its markup. */
const FIELD_DAMAGES = ["null", "retype", "remove", "rename", "swap", "nest"] as const;

/** One way to damage a reply. Places are shares of its length, or of the number of its fields. */
export interface Damage {
  readonly how: (typeof TEXT_DAMAGES)[number] | (typeof FIELD_DAMAGES)[number];
  readonly at: number;
  /** The other field of a swap. */
  readonly otherAt: number;
  readonly sizeCharacters: number;
  readonly text: string;
  /** JSON. */
  readonly value: string;
  readonly foreign: string;
}

const FOREIGN = [
  "https://evil.example/a.mp4",
  "//evil.example/a.jpg",
  "javascript:alert(1)",
  "http://i.pinimg.com@evil.example/a.jpg",
  "https://evil.example\\@pbs.twimg.com/a.jpg",
] as const;
const ODD_TEXTS = ['"', "<", ">", "'", "&", "null", "{", "[", "</script>", "<br>", "\\", "\0"];
const ODD_VALUES = ["null", "{}", "[]", "0", "-1", '""', "true", "1e308", "[null]", '{"a":1}'];

/** Every share alike. A `fc.double` from 0 to 1 is below 1e-6 nine times out of ten. */
const share = fc.noBias(fc.nat({ max: 999_999 })).map((number) => number / 1_000_000);

export const damage: fc.Arbitrary<Damage> = fc.record({
  how: fc.constantFrom(...TEXT_DAMAGES, ...FIELD_DAMAGES),
  at: share,
  otherAt: share,
  sizeCharacters: fc.nat({ max: 300 }),
  text: fc.oneof(fc.string(), fc.constantFrom(...ODD_TEXTS, ...FOREIGN)),
  value: fc.oneof(
    fc.constantFrom(...ODD_VALUES, ...FOREIGN.map((url) => JSON.stringify(url))),
    fc.json({ maxDepth: 3 }),
  ),
  foreign: fc.constantFrom(...FOREIGN),
});

/** The reply after the damage; as it was where it has nothing to damage. */
export function applyDamage(body: string, damage: Damage): string {
  const isText = TEXT_DAMAGES.some((how) => how === damage.how);
  return isText ? damageText(body, damage) : damageField(body, damage);
}

function damageText(body: string, damage: Damage): string {
  const { how, sizeCharacters, text, foreign } = damage;
  const from = Math.floor(damage.at * body.length);
  const [head, part, tail] = [
    body.slice(0, from),
    body.slice(from, from + sizeCharacters),
    body.slice(from + sizeCharacters),
  ];
  if (how === "cut") return head + tail;
  if (how === "truncate") return head;
  if (how === "flip") return head + flipped(part, sizeCharacters) + tail;
  if (how === "insert") return head + text + part + tail;
  if (how === "repeat") return head + part + part + tail;
  return head + (part + tail).replaceAll(/https:(?:\\?\/){2}[\w.-]+/g, () => foreign);
}

/** One bit of the first character. */
function flipped(part: string, which: number): string {
  const code = part.charCodeAt(0);
  return Number.isNaN(code) ? "" : String.fromCharCode(code ^ (1 << (which % 7))) + part.slice(1);
}

/** Where a field's name and value stand in the text. */
interface Field {
  readonly from: number;
  readonly name: string;
  readonly valueFrom: number;
  readonly to: number;
  readonly isMarkup: boolean;
}

function damageField(body: string, damage: Damage): string {
  const fields = fieldsOf(body);
  const field = fields[Math.floor(damage.at * fields.length)];
  if (field === undefined) return body;
  if (damage.how === "swap")
    return swapped(body, field, fields[Math.floor(damage.otherAt * fields.length)]);
  const before = body.slice(0, field.from);
  const after = body.slice(field.to);
  return before + changed(body, field, damage) + after;
}

function changed(body: string, field: Field, { how, value, sizeCharacters }: Damage): string {
  const label = body.slice(field.from, field.valueFrom);
  const old = body.slice(field.valueFrom, field.to);
  if (how === "remove") return "";
  if (how === "rename") return label.replace(field.name, "x") + old;
  const other = how === "null" ? "null" : value;
  if (field.isMarkup) return `${label}"${other.replaceAll('"', "&quot;")}"`;
  if (how !== "nest")
    return label + (label.startsWith("\\") ? other.replaceAll('"', '\\"') : other);
  return label + '{"a":['.repeat(sizeCharacters) + old + "]}".repeat(sizeCharacters);
}

function swapped(body: string, one: Field, other: Field | undefined): string {
  if (other === undefined) return body;
  const [first, second] = one.from < other.from ? [one, other] : [other, one];
  if (first.to > second.valueFrom) return body;
  const [a, b] = [first, second].map(({ valueFrom, to }) => body.slice(valueFrom, to));
  const between = body.slice(first.to, second.valueFrom);
  return body.slice(0, first.valueFrom) + b + between + a + body.slice(second.to);
}

/** A JSON name, also within a JSON string; or a name and value of markup. */
const FIELD = /(\\?)"([\w.:$-]{1,64})\\?"\s*:\s*|\s([\w-]{1,40})=(?="[^"<>]*")/g;

/** The fields of a reply in their order, whatever it is: JSON, or a page with JSON in it. */
export function fieldsOf(body: string): readonly Field[] {
  return [...body.matchAll(FIELD)].map((found) => {
    const [label, slash = "", inJson, inMarkup] = found;
    const valueFrom = found.index + label.length;
    const name = inJson ?? inMarkup ?? "";
    const isMarkup = inMarkup !== undefined;
    return { from: found.index, name, valueFrom, to: valueEnd(body, valueFrom, slash), isMarkup };
  });
}

const WORD = /[^,}\]\s]*/y;
/** Longer containers count as ending here. */
const CONTAINER_CHARACTERS_MAX = 100_000;

function valueEnd(body: string, from: number, slash: string): number {
  const first = body[from];
  if (first === "{" || first === "[") return containerEnd(body, from);
  if (body.startsWith(`${slash}"`, from)) return stringEnd(body, from + slash.length + 1, slash);
  WORD.lastIndex = from;
  return from + (WORD.exec(body)?.[0].length ?? 0);
}

/** Behind the next quote that is not escaped: once more than the string's own quotes are. */
function stringEnd(body: string, from: number, slash: string): number {
  const quote = `${slash}"`;
  for (let at = body.indexOf(quote, from); at !== -1; at = body.indexOf(quote, at + 1)) {
    if (body[at - 1] !== "\\") return at + quote.length;
  }
  return body.length;
}

/** Counts brackets, those in strings too: a wrong end is one more damage. */
function containerEnd(body: string, from: number): number {
  let depth = 0;
  const end = Math.min(body.length, from + CONTAINER_CHARACTERS_MAX);
  for (let at = from; at < end; at++) {
    const character = body[at];
    if (character === "{" || character === "[") depth++;
    if (character === "}" || character === "]") depth--;
    if (depth === 0) return at + 1;
  }
  return end;
}
