const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** How many characters the share link of a private account adds to the code (yt-dlp, 2026-08). */
const SHARE_SUFFIX_CHARACTERS = 28;

/** The number behind a code: base 64, most significant digit first (yt-dlp and scrapfly, 2026-08). */
export function pkOfCode(code: string): string {
  let pk = 0n;
  for (const digit of bareCode(code)) pk = pk * 64n + BigInt(Math.max(0, ALPHABET.indexOf(digit)));
  return pk.toString();
}

/** The code of a number, as the platform's links show it. */
export function codeOfPk(pk: string): string {
  let code = "";
  for (let rest = BigInt(pk); rest > 0n; rest /= 64n)
    code = ALPHABET.charAt(Number(rest % 64n)) + code;
  return code;
}

/** The post's own code. Some posts with the long form are public (yt-dlp, 2026-08). */
export function bareCode(code: string): string {
  return code.length > SHARE_SUFFIX_CHARACTERS ? code.slice(0, -SHARE_SUFFIX_CHARACTERS) : code;
}
