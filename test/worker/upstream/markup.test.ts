import { describe, expect, it } from "vitest";
import { MarkupReader } from "../../../src/upstream/markup.ts";

/** Reads the texts and the breaks of a caption. Says how often the parser called. */
async function read(reader: MarkupReader, inside: string) {
  let calls = 0;
  let text = "";
  const read = await reader.read(`<div class="c">${inside}</div>`, (listeners) => {
    listeners.on(".c br", { element: () => void calls++ }).on(".c", {
      text: (part) => {
        calls++;
        text += part.text;
      },
    });
  });
  return { outcome: read.ok ? "OK" : read.failure.kind, calls, text };
}

const MEGABYTE = 1_000_000;

describe("a page's markup", () => {
  it("is read whole where a caption has 1,024 characters, all of them emoji", async () => {
    const found = await read(new MarkupReader(), '<i class="emoji"><b>🔥</b></i>'.repeat(1_024));
    expect(found).toMatchObject({ outcome: "OK", text: "🔥".repeat(1_024) });
  });

  it("is read whole where it has 30,000 tags that nobody listens to", async () => {
    const found = await read(new MarkupReader(), `</div>a${"<p>b</p>".repeat(30_000)}`);
    expect(found).toEqual({ outcome: "OK", calls: 0, text: "" });
  });

  it.each(["<", "<br>", "x<br>", "<p>x</p>", "<!-- -->x"])(
    "drifts after a bounded number of calls: a megabyte of %s in a caption",
    async (unit) => {
      const short = unit.repeat(60_000);
      const { outcome, calls } = await read(new MarkupReader(), short);
      expect({ outcome, isBounded: calls < 4_000 }).toEqual({
        outcome: "drifted",
        isBounded: true,
      });
      const long = await read(new MarkupReader(), unit.repeat(MEGABYTE / unit.length));
      expect(long).toEqual({ outcome: "drifted", calls: 0, text: "" });
    },
  );

  it("shares its bound among its parts", async () => {
    const reader = new MarkupReader();
    const part = "x<br>".repeat(300);
    const outcomes: string[] = [];
    for (let nth = 0; nth < 4; nth++) outcomes.push((await read(reader, part)).outcome);
    expect(outcomes).toEqual(["OK", "OK", "drifted", "drifted"]);
  });
});
