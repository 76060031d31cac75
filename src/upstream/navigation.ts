/**
 * The headers of a desktop browser that opens a page from its address bar, consistent with the
 * configured user agent. Without them, platforms return a page without data (2026-10).
 */
export function navigationHeaders(userAgent: string): Readonly<Record<string, string>> {
  return {
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "accept-language": "en-US,en;q=0.9",
    "sec-fetch-dest": "document",
    "sec-fetch-mode": "navigate",
    "sec-fetch-site": "none",
    "sec-fetch-user": "?1",
    "upgrade-insecure-requests": "1",
    ...clientHints(userAgent),
  };
}

/** Only browsers of one family send these headers. */
function clientHints(userAgent: string): Readonly<Record<string, string>> {
  const version = /Chrome\/(\d+)/.exec(userAgent)?.[1];
  if (version === undefined) return {};
  const platform = /Windows|Macintosh/.exec(userAgent)?.[0] ?? "Linux";
  return {
    "sec-ch-ua": `"Chromium";v="${version}", "Google Chrome";v="${version}", "Not?A_Brand";v="8"`,
    "sec-ch-ua-mobile": "?0",
    "sec-ch-ua-platform": `"${platform === "Macintosh" ? "macOS" : platform}"`,
  };
}
