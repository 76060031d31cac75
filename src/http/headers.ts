/** On every response, whatever it answers. */
export const EVERY_RESPONSE = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
} as const;
