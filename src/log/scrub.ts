/**
 * What came from outside (a platform, a provider, a store, a client, an exception) passes through
 * here before it is logged: one line, bounded, without addresses, secrets, ids and encoded data.
 *
 * Every expression below takes linear time: it consumes what it has looked at.
 */

const OUTSIDE_CHARACTERS_MAX = 200;
const CAUSE_CHARACTERS_MAX = 500;
/** What is scrubbed shrinks: this many times the bound is looked at to fill it. */
const SCANNED_PER_CHARACTER = 10;

/** A piece of text from outside, as a cause may hold it: at most 200 characters. */
export function outside(text: string): string {
  return scrubbed(text, OUTSIDE_CHARACTERS_MAX);
}

/** A whole cause, whatever it was put together from: at most 500 characters. */
export function scrubbedCause(cause: string): string {
  return scrubbed(cause, CAUSE_CHARACTERS_MAX);
}

/** What was thrown, by whomever, as a cause may hold it. */
export function describeThrown(thrown: unknown): string {
  return outside(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));
}

function scrubbed(text: string, charactersMax: number): string {
  const scanned = text.slice(0, charactersMax * SCANNED_PER_CHARACTER);
  // Drops the last word, because a shortened secret may look harmless.
  const whole = scanned.length < text.length ? withoutLastWord(scanned) : scanned;
  const line = whole.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return scrub(line).slice(0, charactersMax);
}

const DELIMITER = /[\s"'<>]/;

function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && !DELIMITER.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

const SECRET_NAME = /token|key|secret|password|cookie|session|credential|auth|sig/i;
const MEMBER = /("[^"]*" ?: ?\\?")[^"]*/g;
const WORD = /[^\s"'<>]+/g;

/** Of one line, in which a run of blanks is one blank. */
function scrub(line: string): string {
  let before = "";
  return line
    .replace(MEMBER, (member: string, name: string) =>
      SECRET_NAME.test(name) ? `${name}<secret>` : member,
    )
    .replace(WORD, (word) => {
      const isSecret = announcesSecret(before) && !isPlain(word);
      before = word;
      return isSecret ? "<secret>" : scrubWord(word);
    });
}

/** `Bearer x`, `api_key: x` */
function announcesSecret(word: string): boolean {
  return /^(?:bearer|basic)$/i.test(word) || (word.endsWith(":") && SECRET_NAME.test(word));
}

/** A word of a sentence: our own messages name variables such as `HIKERAPI_KEY: Invalid input`. */
function isPlain(word: string): boolean {
  return /^[A-Za-z]?[a-z]*[.,:;]?$/.test(word);
}

function scrubWord(word: string): string {
  const address = word.search(/\/\/|\\\/\\\/|%2f%2f/i);
  if (address !== -1) return scrubAddress(word, address);
  return word.replace(/[^:,;&?]+/g, (part) => {
    if (/[^@]@./.test(part)) return "<address>";
    const name = part.slice(0, Math.max(0, part.indexOf("=")));
    if (part.length > name.length + 1 && SECRET_NAME.test(name)) return `${name}=<secret>`;
    return part.replace(/[\w+/=%~-]+/g, scrubRun);
  });
}

/** Nothing behind the beginning of a URL is kept: its query may go on behind any character. */
function scrubAddress(word: string, slashes: number): string {
  let start = slashes;
  while (start > 0 && /[\w+.:%\\-]/.test(word.charAt(start - 1))) start--;
  return `${scrubWord(word.slice(0, start))}<url>`;
}

const DATA_CHARACTERS_MIN = 16;
const OPAQUE_CHARACTERS_MIN = 40;

/** Ids, tokens, encoded text: long with a digit in it, or very long; then any long number. */
function scrubRun(run: string): string {
  const isData = run.length >= DATA_CHARACTERS_MIN && /\d/.test(run);
  if (isData || run.length >= OPAQUE_CHARACTERS_MIN) return "<data>";
  return run.replace(/\d{6,}/g, "<digits>");
}
