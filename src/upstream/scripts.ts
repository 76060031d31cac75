/** The tags that are looked for have some 100. */
const TAG_CHARACTERS_MAX = 1_000;

/**
 * The text of the script with this id. Null if there is none. If the page ends inside the script,
 * returns what there is. Searches instead of parsing, because 95 % of the page is not needed.
 */
export function scriptWithId(html: string, id: string): string | null {
  for (const attribute of [`id="${id}"`, `id='${id}'`]) {
    for (let at = html.indexOf(attribute); at !== -1; at = html.indexOf(attribute, at + 1)) {
      const before = html.slice(Math.max(0, at - TAG_CHARACTERS_MAX), at);
      const tag = before.slice(before.lastIndexOf("<"));
      if (tag.startsWith("<script")) return textFrom(html, html.indexOf(">", at));
    }
  }
  return null;
}

/** The texts of all scripts whose tag contains all of these words, in order. */
export function* scriptsWith(html: string, words: readonly string[]): Generator<string> {
  for (let at = html.indexOf("<script"); at !== -1; at = html.indexOf("<script", at)) {
    const tagEnd = html.indexOf(">", at);
    if (tagEnd === -1) return;
    const tag = html.slice(at, tagEnd);
    const text = textFrom(html, tagEnd);
    if (words.every((word) => tag.includes(word))) yield text;
    at = tagEnd + text.length;
  }
}

function textFrom(html: string, tagEnd: number): string {
  if (tagEnd === -1) return "";
  const end = html.indexOf("</script", tagEnd);
  return html.slice(tagEnd + 1, end === -1 ? html.length : end);
}
