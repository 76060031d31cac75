import { decodeEntities } from "./entities.ts";

/** Text as markup has it, made plain. */
export function plain(text: string): string {
  return decodeEntities(text).trim();
}

/** Line breaks of the markup are blanks of the text. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/\s+/g, (run) => (/[\r\n]/.test(run) ? " " : run));
}

/** The text without the blanks around its line breaks. */
export function withoutBlanksAtBreaks(text: string): string {
  return text.replace(/[ \n]+/g, (run) => (run.includes("\n") ? run.replaceAll(" ", "") : run));
}
