import * as z from "zod/mini";
import "./zod-messages.ts";

/** A required variable. */
export const text = z.string().check(z.minLength(1));

/** An optional variable. Null if it is empty or unset. */
export const optional = z._default(
  z.nullable(
    z.pipe(
      z.string().check(z.trim()),
      z.transform((value) => (value === "" ? null : value)),
    ),
  ),
  null,
);

/** Loopback needs no TLS: nobody stands between. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Of a server that is sent secrets, be it a token, a signature or a provider's key. */
export const httpUrl = z
  .url({ protocol: /^https?$/ })
  .check(z.refine((url) => isPrivate(url), "must be https, except on this machine"));
export const optionalUrl = z.pipe(optional, z.nullable(httpUrl));

/**
 * Of a server that the operator trusts; a user name in it would be no part of its origin. Read
 * without slashes at its end, so that a path can be put behind it.
 */
export const serverUrl = z.pipe(
  httpUrl.check(z.refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), "names a user")),
  z.transform(withoutSlashesAtEnd),
);
export const optionalServerUrl = z.pipe(optional, z.nullable(serverUrl));

function isPrivate(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || LOOPBACK.test(url.hostname));
}

function withoutSlashesAtEnd(url: string): string {
  let end = url.length;
  while (url[end - 1] === "/") end--;
  return url.slice(0, end);
}
