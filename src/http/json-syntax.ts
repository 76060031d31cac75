/** A place in a text; line and column are counted from 1, the column in UTF-16 code units. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The text ends where it should go on. */
  readonly isEnd: boolean;
}

/** White space, then a token if there is one, as RFC 8259 has them. */
const TOKEN =
  /([ \t\n\r]*)([{}[\],:]|"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/uy;

/** The first characters of a value's token; `0` stands for a number, `true`, `false` and `null`. */
const VALUE = '{["0';

/** How an object and an array go on, and how they end. */
const OPENING = new Map([
  ["{", { first: '"}', closing: "}" }],
  ["[", { first: `${VALUE}]`, closing: "]" }],
]);

/**
 * Where a text stops being JSON: the first token that does not fit, or that is none. Null for JSON.
 * `JSON.parse` names a place for some errors only, and quotes the text, which may hold secrets.
 */
export function findSyntaxError(text: string): Place | null {
  const open: string[] = [];
  let expected = VALUE;
  for (let at = 0; ; ) {
    TOKEN.lastIndex = at;
    const [whole = "", white = "", token] = TOKEN.exec(text) ?? [];
    const start = at + white.length;
    const kind = kindOf(token);
    if (kind === null || !expected.includes(kind)) {
      const isEnd = start === text.length;
      return isEnd && expected === "" ? null : { ...placeOf(text, start), isEnd };
    }
    expected = expectedAfter(kind, expected, open);
    at += whole.length;
  }
}

function kindOf(token: string | undefined): string | null {
  const [first] = token ?? "";
  if (first === undefined) return null;
  return '{}[],:"'.includes(first) ? first : "0";
}

/** @param open the closing bracket of each array and object that is open, changed in place */
function expectedAfter(kind: string, expected: string, open: string[]): string {
  if (kind === ":") return VALUE;
  if (kind === ",") return open.at(-1) === "}" ? '"' : VALUE;
  // Where no value was expected, a string is the name of a field.
  if (kind === '"' && !expected.includes("0")) return ":";
  const opened = OPENING.get(kind);
  if (opened !== undefined) {
    open.push(opened.closing);
    return opened.first;
  }
  if (kind === "}" || kind === "]") open.pop();
  const closing = open.at(-1);
  return closing === undefined ? "" : `,${closing}`;
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
