/** Times outside are no expiry: 2017-07-14 to 2103-02-04, in seconds since 1970. */
const SECONDS_MIN = 1_500_000_000;
const SECONDS_MAX = 4_200_000_000;

/**
 * Parameters that platforms write a file's expiry into (recorded replies, 2024-06 to 2026-08): `oe`
 * in hexadecimal (Instagram), the others in decimal (TikTok: `x-expires` beside `x-signature`,
 * `expire` beside `signature`); all in seconds but `x-m-expire`.
 */
const PARAMETERS: Readonly<Record<string, (value: string) => number>> = {
  oe: (value) => (/^[0-9a-f]{8}$/i.test(value) ? Number.parseInt(value, 16) : Number.NaN),
  expire: decimal,
  expires: decimal,
  "x-expires": decimal,
  "x-m-expire": (value) => (/^\d{13}$/.test(value) ? Number(value) / 1000 : Number.NaN),
};

/** When a media URL ends, as far as it says so itself: the earliest of its times. */
export function expiresAt({ url }: { readonly url: string }): Date | null {
  const parameters = URL.parse(url)?.searchParams ?? new URLSearchParams();
  const times = [...parameters].flatMap(([name, value]) => {
    const read = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    const seconds = read?.(value) ?? Number.NaN;
    return seconds >= SECONDS_MIN && seconds <= SECONDS_MAX ? [seconds] : [];
  });
  return times.length === 0 ? null : new Date(Math.min(...times) * 1000);
}

function decimal(value: string): number {
  return /^\d{10}$/.test(value) ? Number(value) : Number.NaN;
}
