import { parseJson } from "../../upstream/json.ts";
import { isObject } from "./resource-names.ts";

type Data = Readonly<Record<string, unknown>>;

/**
 * Begins the name of the query for a page's one pin: `v3GetPinQuery` in recordings of 2024,
 * `v3GetPinQueryv2` in public extractors (2026). Pins that a page shows beside it, or that a profile
 * lists, are answers of other queries.
 */
export const QUERY = "v3GetPinQuery";

/**
 * The pin's data in its page, put together from every script that has some of it; null when the page
 * is not this pin's. Only scripts that name both the query and the pin are parsed: 14 to 25 KB of
 * the page's 0.5 MB.
 *
 * A page has its pin up to three times, each time with other fields. The longest is believed first:
 * the shorter ones leave out what a story or a video consists of (pages recorded 2024).
 */
export function findPin(html: string, id: string): Data | null {
  const entries = scriptsNaming(html, id)
    .toSorted((a, b) => a.length - b.length)
    .flatMap((script) => pinsIn(parseData(script)).filter((pin) => isPin(pin, id)))
    .flatMap((pin) => Object.entries(pin).filter(([, value]) => value !== null));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** With their tags; a reply that is no page is taken for a script as a whole. */
function scriptsNaming(html: string, id: string): readonly string[] {
  const scripts: string[] = [];
  let start = html.indexOf("<script");
  if (start === -1) return [html];
  while (start !== -1) {
    const end = html.indexOf("</script", start);
    const script = html.slice(start, end === -1 ? html.length : end);
    if (script.includes(QUERY) && script.includes(id)) scripts.push(script);
    start = end === -1 ? -1 : html.indexOf("<script", end);
  }
  return scripts;
}

/** The JSON is the script itself or, since 2025, a call's argument; one recording has digits before it. */
function parseData(script: string): unknown {
  return parseJson(script.slice(script.indexOf("{"), script.lastIndexOf("}") + 1));
}

function pinsIn(root: unknown): readonly Data[] {
  const answer = isObject(root) && isObject(root["response"]) ? root["response"] : root;
  const data = isObject(answer) && isObject(answer["data"]) ? answer["data"] : {};
  return Object.entries(data).flatMap(([query, result]) => {
    const pin = isObject(result) ? result["data"] : null;
    return query.startsWith(QUERY) && isObject(pin) ? [pin] : [];
  });
}

/**
 * Whether it is the pin that was asked for. A pin that somebody saved has as its canonical address
 * that of the pin it was saved from, whose media it has (page recorded 2024).
 */
function isPin(pin: Data, id: string): boolean {
  const join = pin["pinJoin"];
  const canonical = isObject(join) ? String(join["seoCanonicalUrl"]) : "";
  return pin["entityId"] === id || /^\/pin\/(?:[^/]+--)?(\d+)\/?$/.exec(canonical)?.[1] === id;
}
