/** Text that is already HTML. All other text is escaped when it is put into a page. */
export interface Html {
  readonly html: string;
}

type Value = string | number | Html | readonly Html[];

/** Makes HTML from a template. Escapes values, unless they are HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const filled = values.map((value, at) => (parts[at] ?? "") + write(value));
  return { html: filled.join("") + (parts[values.length] ?? "") };
}

/** Marks text as HTML. Only for text that a program made, never for text from an export. */
export function trusted(text: string): Html {
  return { html: text };
}

/** A drawing. For a screen reader it is one image with a name; the table after it has the numbers. */
export function figure(name: string, drawing: Html): Html {
  return html`<figure><figcaption>${name}</figcaption>
<div role="img" aria-label="${name}; the table below has the numbers">
<div aria-hidden="true">${drawing}</div></div></figure>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function write(value: Value): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string")
    return value.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? "");
  if ("html" in value) return value.html;
  return value.map((part) => part.html).join("");
}
