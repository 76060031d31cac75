import { decodeEntities, TEXT_CHARACTERS_MAX } from "./entities.ts";

/** Text as markup has it, made plain. */
export function plain(text: string): string {
  return decodeEntities(text).trim();
}

/** The beginning of a text that is to be added to what was collected before; empty if that is enough. */
export function roomFor(text: string, collected: string): string {
  return text.slice(0, Math.max(0, TEXT_CHARACTERS_MAX - collected.length));
}

/** Line breaks in the markup are blanks in the text. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/\s+/g, (run) => (/[\r\n]/.test(run) ? " " : run));
}

/** The text without the blanks around its line breaks. */
export function withoutBlanksAtBreaks(text: string): string {
  return text.replace(/[ \n]+/g, (run) => (run.includes("\n") ? run.replaceAll(" ", "") : run));
}

/** Calls back at an element's end. Returns false for an element that has no end tag, like `<br>`. */
export function onEnd(element: Element, callback: () => void): boolean {
  try {
    element.onEndTag(callback);
    return true;
  } catch {
    return false;
  }
}
