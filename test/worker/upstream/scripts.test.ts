import { describe, expect, it } from "vitest";
import { Script, ScriptReader, ScriptsById } from "../../../src/upstream/scripts.ts";

/** The page as it comes, in pieces of so many characters. */
function* pieces(page: string, size: number): Generator<string> {
  for (let at = 0; at < page.length; at += size) yield page.slice(at, at + size);
}

const PAGE = `<p>a</p><script a>1</script><!-- </script> --><script b
  c="x">2 <b> < / </scrip </script
  ><SCRIPT b>3</SCRIPT><script></script><script b></script><script b c>4`;
const sizes = [1, 2, 3, 5, 7, 8, 9, 64, PAGE.length];

describe("the scripts of a page that comes in pieces", () => {
  it.each(sizes)("of %d characters are those of the whole page", (size) => {
    const asked: string[] = [];
    const reader = new ScriptReader((tag) => {
      asked.push(tag);
      return tag.includes("b");
    });
    const scripts = [...pieces(PAGE, size)].flatMap((piece) => reader.take(piece));
    const found = scripts.map((script) => ({ tag: script.tag, text: script.text() }));
    const tag = ' b\n  c="x"';
    expect(found).toEqual([
      { tag, text: "2 <b> < / </scrip " },
      { tag: " b", text: "" },
    ]);
    expect(reader.rest()?.tag).toBe(" b c");
    expect(reader.rest()?.text()).toBe("4");
    expect(asked).toEqual([" a", tag, "", " b", " b c"]);
  });

  it("are told as soon as they end, not before", () => {
    const reader = new ScriptReader(() => true);
    const page = "<script>1</script>";
    const ends = [...pieces(page, 1)].map((piece) => reader.take(piece).length);
    expect(ends.indexOf(1)).toBe(page.length - 2);
    expect(ends.filter((count) => count === 1)).toHaveLength(1);
    expect(reader.rest()).toBeNull();
  });

  it("leave no rest where the page ends in a tag, or in a script that nobody wants", () => {
    for (const page of ["<script", "<script a", "<script a>x"]) {
      const reader = new ScriptReader((tag) => tag.includes("b"));
      reader.take(page);
      expect(reader.rest()).toBeNull();
    }
  });
});

describe("a script", () => {
  const text = "none of the words, nor wor, but words at last";
  it.each([1, 2, 3, 4, 5, 6, text.length])("is searched over its parts of %d", (size) => {
    const script = new Script("", [...pieces(text, size)]);
    for (const words of ["words", "no", text, "or, but w", "st"]) {
      expect(script.mentions(words)).toBe(true);
    }
    for (const words of ["wordy", "noon", `${text}.`, "tn"]) {
      expect(script.mentions(words)).toBe(false);
    }
    expect(script.text()).toBe(text);
    expect(script.textFrom("wordy")).toBeNull();
    expect(script.textFrom("but words")).toMatch(/^.{0,60}but words at last$/);
    expect(script.isBraced()).toBe(false);
    expect(new Script("", [...pieces("{ } x } ", size)]).isBraced()).toBe(size > 1);
  });
});

describe("a script with an id", () => {
  const read = (page: string, size: number) => {
    const scripts = new ScriptsById("DATA", "OTHER");
    const isWhole = [...pieces(page, size)].map((piece) => scripts.take(piece, "DATA"));
    return { text: scripts.script("DATA")?.text() ?? null, isWhole: isWhole.at(-1) };
  };

  it.each(sizes)("is the first one, whichever quotes its tag has, in pieces of %d", (size) => {
    const first = `<p id="DATA"></p><script id="OTHER">0</script><script a="1" id='DATA'>{"a":1}</script>`;
    const page = `${first}<script id="DATA">2</script>`;
    expect(read(page, size)).toEqual({ text: '{"a":1}', isWhole: true });
  });

  it.each(sizes)("that is cut gives what there is, in pieces of %d", (size) => {
    expect(read('<script id="DATA">{"a"', size)).toEqual({ text: '{"a"', isWhole: false });
  });

  it("is not found in the text of another", () => {
    const page = `<script>${" ".repeat(5_000)}id="DATA">{}</script>`;
    expect(read(page, 100)).toEqual({ text: null, isWhole: false });
  });
});
