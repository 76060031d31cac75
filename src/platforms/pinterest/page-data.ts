import { parseJson } from "../../upstream/json.ts";
import { isObject } from "./resource-names.ts";

type Data = Readonly<Record<string, unknown>>;

/**
 * Start of the name of the query for the page's own pin: `v3GetPinQuery` in recordings of 2024,
 * `v3GetPinQueryv2` in public extractors (2026). Other queries return other pins: those shown
 * beside it, and those of a profile.
 */
export const QUERY = "v3GetPinQuery";

/**
 * The pin's data in its page, merged from every script that has some of it. Null if the page is not
 * this pin's. Parses only scripts that name both the query and the pin: 14 to 25 KB of the page's
 * 0.5 MB.
 *
 * A page has its pin up to three times, with different fields. The longest script wins, because
 * shorter ones leave out the parts of a story or a video (pages recorded 2024).
 */
export function findPin(html: string, id: string): Data | null {
  const entries = scriptsNaming(html, id)
    .toSorted((a, b) => a.length - b.length)
    .flatMap((script) => pinsIn(parseData(script)).filter((pin) => isPin(pin, id)))
    .flatMap((pin) => Object.entries(pin).filter(([, value]) => value !== null));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Includes the script tags. A reply without tags counts as one script. */
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

/**
 * The script is JSON or, since 2025, a call with JSON as argument. One recording has digits before
 * it.
 */
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
 * Whether this is the requested pin. If somebody saved a pin, its canonical URL is that of the
 * original pin, which has the same media (page recorded 2024).
 */
function isPin(pin: Data, id: string): boolean {
  const join = pin["pinJoin"];
  const canonical = isObject(join) ? String(join["seoCanonicalUrl"]) : "";
  return pin["entityId"] === id || /^\/pin\/(?:[^/]+--)?(\d+)\/?$/.exec(canonical)?.[1] === id;
}
