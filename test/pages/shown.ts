/** Compares what a page shows with what came, but for what differs from run to run. */

/** Each kind of text that no two runs share, and what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>"],
  [/\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT/g, "<time>"],
  // What is left of a limit and in how many seconds it starts anew; what is left of the credits.
  [/\b([rt])=\d+/g, "$1=<n>"],
  [/(X-Credits-Available: )\d+/gi, "$1<n>"],
];

function plain(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return CHANGING.reduce(
    (changed, [kind, name]) => changed.replaceAll(kind, name),
    lines.join("\n").trim(),
  );
}

/** What is wrong with a block that shows an answer in JSON, or an output; null if nothing is. */
export function differenceOf(language: string, shown: string, came: string): string | null {
  const [expected, actual] =
    language === "json" ? [plainJson(shown), plainJson(came)] : [plain(shown), plain(came)];
  return expected === actual ? null : `the page shows\n${expected}\nbut this came\n${actual}`;
}

/** The order of fields counts, white space does not. */
function plainJson(text: string): string {
  try {
    return plain(JSON.stringify(JSON.parse(text), null, 1));
  } catch {
    return `no JSON: ${plain(text)}`;
  }
}
