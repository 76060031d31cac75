/** A script of a page, in the parts in which it came. */
export class Script {
  /** What its tag has behind the name. */
  readonly tag: string;
  readonly #parts: readonly string[];

  constructor(tag: string, parts: readonly string[]) {
    this.tag = tag;
    this.#parts = parts;
  }

  /** How long the text is. Copies nothing. */
  get characters(): number {
    return this.#parts.reduce((sum, part) => sum + part.length, 0);
  }

  /** Makes one text of the parts, which costs a copy. */
  text(): string {
    return this.#parts.join("");
  }

  /** Whether the text has these words, at least two characters. Copies nothing. */
  mentions(words: string): boolean {
    return this.#find(words) !== null;
  }

  /** The text from these words on, or from a little before them. Null if it does not have them. */
  textFrom(words: string): string | null {
    const found = this.#find(words);
    return found === null ? null : found.before + this.#parts.slice(found.nth).join("");
  }

  /**
   * Whether the text is between braces, as an object is. Copies nothing, so it may say no if a part is
   * blank.
   */
  isBraced(): boolean {
    const [first = "", last = ""] = [this.#parts[0], this.#parts.at(-1)];
    return first.trimStart().startsWith("{") && last.trimEnd().endsWith("}");
  }

  /** The part in which the first mention of the words ends, and what stands before that part. */
  #find(words: string): { readonly nth: number; readonly before: string } | null {
    const overlap = words.length - 1;
    let before = "";
    for (const [nth, part] of this.#parts.entries()) {
      const isHere = part.includes(words) || (before + part.slice(0, overlap)).includes(words);
      if (isHere) return { nth, before };
      before = (part.length < overlap ? before + part : part).slice(-overlap);
    }
    return null;
  }
}

/** What ends a place of a page: the part between scripts, a script's tag, and a script's text. */
const ENDS = { between: "<script", tag: ">", text: "</script" } as const;

/** A shorter piece is added to the one before. */
const PIECE_CHARACTERS_MIN = 8;

/**
 * Finds scripts in a page that comes in pieces. Looks at each piece once, and keeps only the wanted
 * scripts. Searches instead of parsing, because 95 % of a page is not needed.
 */
export class ScriptReader {
  readonly #isWanted: (tag: string) => boolean;
  #place: keyof typeof ENDS = "between";
  #tag = "";
  /** The place so far, if it is kept. */
  #parts: string[] = [];
  #isKept = false;
  /** The end of the last piece, in which a mark may begin. */
  #tail = "";

  constructor(isWanted: (tag: string) => boolean) {
    this.#isWanted = isWanted;
  }

  /** The wanted scripts that end in this piece. */
  take(piece: string): readonly Script[] {
    const scripts: Script[] = [];
    const isShort = piece.length < PIECE_CHARACTERS_MIN;
    const text = isShort ? this.#tail + piece : piece;
    let from = isShort ? 0 : this.#crossSeam(piece, scripts);
    for (;;) {
      const end = ENDS[this.#place];
      const at = text.indexOf(end, from);
      if (at === -1) break;
      this.#keep(text.slice(from, at));
      this.#goOn(scripts);
      from = at + end.length;
    }
    const tailAt = Math.max(from, text.length - ENDS[this.#place].length + 1);
    this.#keep(text.slice(from, tailAt));
    this.#tail = text.slice(tailAt);
    return scripts;
  }

  /** The wanted script in which the page ends, with what there is of it. Null if it ends in none. */
  rest(): Script | null {
    if (this.#place !== "text" || !this.#isKept) return null;
    return new Script(this.#tag, [...this.#parts, this.#tail]);
  }

  /** Looks for a mark that begins in the piece before. Returns where this piece goes on. */
  #crossSeam(piece: string, scripts: Script[]): number {
    const end = ENDS[this.#place];
    const tail = this.#tail;
    const at = (tail + piece.slice(0, end.length - 1)).indexOf(end);
    this.#keep(at === -1 ? tail : tail.slice(0, at));
    if (at === -1) return 0;
    this.#goOn(scripts);
    return at + end.length - tail.length;
  }

  #keep(part: string): void {
    if (this.#isKept && part !== "") this.#parts.push(part);
  }

  /** Goes to the next place, and notes the script that ends here. */
  #goOn(scripts: Script[]): void {
    const parts = this.#parts;
    this.#parts = [];
    if (this.#place === "between") {
      this.#place = "tag";
      this.#isKept = true;
    } else if (this.#place === "tag") {
      this.#place = "text";
      this.#tag = parts.join("");
      this.#isKept = this.#isWanted(this.#tag);
    } else {
      this.#place = "between";
      if (this.#isKept) scripts.push(new Script(this.#tag, parts));
      this.#isKept = false;
    }
  }
}

/** The first script with each of these ids, in a page that comes in pieces. */
export class ScriptsById {
  readonly #ids: readonly string[];
  readonly #reader: ScriptReader;
  readonly #found = new Map<string, Script>();

  constructor(...ids: readonly string[]) {
    this.#ids = ids;
    this.#reader = new ScriptReader((tag) => ids.some((id) => hasId(tag, id)));
  }

  /** Whether the scripts with these ids are all complete with this piece of the page. */
  take(piece: string, ...ids: readonly string[]): boolean {
    for (const script of this.#reader.take(piece)) this.#note(script);
    return ids.every((id) => this.#found.has(id));
  }

  /** The script. If the page ends inside it, what there is. Null if there is none. */
  script(id: string): Script | null {
    const rest = this.#reader.rest();
    if (rest !== null) this.#note(rest);
    return this.#found.get(id) ?? null;
  }

  #note(script: Script): void {
    const id = this.#ids.find((one) => hasId(script.tag, one) && !this.#found.has(one));
    if (id !== undefined) this.#found.set(id, script);
  }
}

function hasId(tag: string, id: string): boolean {
  return tag.includes(`id="${id}"`) || tag.includes(`id='${id}'`);
}
