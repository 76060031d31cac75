import type { Came, MediaReport } from "./media.ts";
import type { Verdict } from "./verdict.ts";

/** What came of each item's file, by line of the list, and how many open. Empty without files. */
export function describeAllMedia(verdicts: readonly Verdict[]): string {
  const looked = verdicts.filter(({ media }) => media.length > 0);
  const files = looked.flatMap(({ media }) => media);
  if (files.length === 0) return "";
  const open = files.filter(({ server }) => server.problems.length === 0).length;
  const shown = files.filter(({ page }) => page.shows).length;
  const lines = looked.flatMap(({ line, media }) => [
    `Line ${line.number}: ${line.service} ${line.url}`,
    ...media.map((one) => `  ${describeMedia(one)}`),
  ]);
  const sum = `Files: ${files.length}; ${open} open for a server, a page can show ${shown}.`;
  return [...lines, sum].join("\n");
}

/** One item in one line. */
export function describeMedia({ type, host, url, server, page, expires_at }: MediaReport): string {
  const withheld = page.resource_policy === null ? "" : ` (CORP ${page.resource_policy})`;
  const allowed = page.allow_origin === null ? "" : ` (CORS ${page.allow_origin})`;
  const parts = [
    `server: ${describe(server)}`,
    `page: ${describe(page)}`,
    `${page.shows ? "a page can show it" : "no page can show it"}${withheld}`,
    `${page.reads ? "its scripts can read it" : "its scripts cannot read it"}${allowed}`,
    expires_at === null ? "no expiry in its URL" : `expires ${expires_at}`,
  ];
  return `${type} of ${url ?? host}: ${parts.join("; ")}`;
}

function describe({ status, content_type, format, size_bytes, problems }: Came): string {
  if (problems.length > 0) return problems.join(", ");
  const size = size_bytes === null ? "of unknown length" : `of ${size_bytes} bytes`;
  return `${status} ${content_type ?? "no content type"}, ${format} ${size}`;
}
