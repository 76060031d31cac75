import * as z from "zod/mini";
import "./zod-messages.ts";

/** A variable that must be there. */
export const text = z.string().check(z.minLength(1));

/** A variable that may be left empty or unset: then null. */
export const optional = z._default(
  z.nullable(
    z.pipe(
      z.string().check(z.trim()),
      z.transform((value) => (value === "" ? null : value)),
    ),
  ),
  null,
);

export const httpUrl = z.url({ protocol: /^https?$/ });
export const optionalUrl = z.pipe(optional, z.nullable(httpUrl));

/** Of a server that the operator trusts; a user name in it would be no part of its origin. */
export const serverUrl = httpUrl.check(
  z.refine((url) => !/^[^/]*\/\/[^/]*@/.test(url), "names a user"),
);
export const optionalServerUrl = z.pipe(optional, z.nullable(serverUrl));
