import type { Service } from "../../src/contract/schemas.ts";

/**
 * Which post a URL denotes, written from the contract alone and in another way than the service: a
 * walk over characters and path segments, without expressions and without the platforms' files.
 */

export interface Denoted {
  readonly service: Service;
  readonly id: string;
  readonly owner: string | null;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const LETTERS = LOWER + UPPER;
const WORD = `${LETTERS + DIGITS}_`;
const NAMES = { code: `${WORD}-`, dotted: `${WORD}.`, tiktok: `${WORD}.-` };

/** Country domains that the contract lists for the board's platform. */
const BOARD_ENDINGS = (
  "com fr de ch jp cl ca it co.uk nz ru com.au at pt co.kr es com.mx dk ph th com.uy co nl info kr " +
  "ie vn com.vn ec mx in pe co.at hu co.in co.nz id com.ec com.py tw be uk com.bo com.pe se"
).split(" ");
const NO_USERS = ["share", "stories", "explore", "reels", "tv"];

/** Null for a URL that no service accepts. */
export function denoted(url: string): Denoted | null {
  const parts = cutUrl(url);
  if (parts === null) return null;
  const { host, segments } = parts;
  for (const read of [readFeed, readVideo, readMicroblog, readBoard, readMessenger]) {
    const found = read(host, segments);
    if (found !== null) return found;
  }
  return null;
}

function isOf(text: string, alphabet: string, [least, most]: readonly [number, number]): boolean {
  if (text.length < least || text.length > most) return false;
  for (const character of text) if (!alphabet.includes(character)) return false;
  return true;
}

const isNumber = (text: string) => isOf(text, DIGITS, [1, 24]);

/** Scheme, host and path of a URL that nothing has to mend. */
function cutUrl(url: string): { host: string; segments: readonly string[] } | null {
  for (const character of url) if (isMended(character)) return null;
  const [beforeFragment = ""] = url.split("#");
  const [beforeQuery = ""] = beforeFragment.split("?");
  const colon = beforeQuery.indexOf("://");
  const scheme = beforeQuery.slice(0, Math.max(0, colon)).toLowerCase();
  if (colon === -1 || (scheme !== "https" && scheme !== "http")) return null;
  const [authority = "", ...segments] = beforeQuery.slice(colon + 3).split("/");
  const host = hostOf(authority, scheme === "https" ? "443" : "80");
  if (host === null || segments.some(isDots)) return null;
  if (segments.at(-1) === "") segments.pop();
  return { host, segments };
}

/** White space, control characters, backslashes. */
function isMended(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  const isControl = code < 32 || (code >= 127 && code < 160);
  return isControl || character === "\\" || character.trim() === "";
}

/** The lower-cased host of an authority without user, with no port but the scheme's own. */
function hostOf(authority: string, ownPort: string): string | null {
  const [host = "", port, ...rest] = authority.split(":");
  if (rest.length > 0 || (port !== undefined && port !== ownPort)) return null;
  return isOf(host, `${LETTERS + DIGITS}.-`, [1, 255]) ? host.toLowerCase() : null;
}

function isDots(segment: string): boolean {
  let rest = segment.toLowerCase();
  while (rest.includes("%2e")) rest = rest.replace("%2e", ".");
  return rest === "." || rest === "..";
}

function readFeed(host: string, segments: readonly string[]): Denoted | null {
  if (!["instagram.com", "www.instagram.com", "m.instagram.com"].includes(host)) return null;
  const [first = "", second = "", third = ""] = segments;
  if (segments.length === 2) return readFeedPost(first, second);
  if (segments.length !== 3) return null;
  return first === "stories" ? readStory(second, third) : readUsersPost(first, second, third);
}

function readFeedPost(kind: string, id: string): Denoted | null {
  const isSound = kind === "reels" && id === "audio";
  const isPost = ["p", "reel", "reels"].includes(kind) && isCode(id) && !isSound;
  return isPost ? { service: "photo-feed", id, owner: null } : null;
}

function readUsersPost(owner: string, kind: string, id: string): Denoted | null {
  const isUser = isFeedUser(owner) && !NO_USERS.includes(owner);
  const isPost = isUser && ["p", "reel"].includes(kind) && isCode(id);
  return isPost ? { service: "photo-feed", id, owner } : null;
}

const isCode = (text: string) => isOf(text, NAMES.code, [1, 64]);
const isFeedUser = (text: string) => isOf(text, NAMES.dotted, [1, 30]);

function readStory(owner: string, id: string): Denoted | null {
  if (!isNumber(id) || !isFeedUser(owner)) return null;
  if (owner === "highlights") return { service: "photo-feed-highlight", id, owner: null };
  return { service: "photo-feed-story", id, owner };
}

function readVideo(host: string, segments: readonly string[]): Denoted | null {
  if (!["tiktok.com", "www.tiktok.com", "m.tiktok.com"].includes(host)) return null;
  const [user = "", kind = "", id = ""] = segments;
  const owner = user.slice(1);
  const isUser = user.startsWith("@") && isOf(owner, NAMES.tiktok, [1, 100]);
  if (segments.length !== 3 || !isUser || !isNumber(id)) return null;
  return kind === "video" || kind === "photo" ? { service: "short-video", id, owner } : null;
}

function readMicroblog(host: string, segments: readonly string[]): Denoted | null {
  if (!isMicroblogHost(host)) return null;
  const rest =
    segments[0] === "i" && segments[1] === "web" ? ["i", ...segments.slice(2)] : segments;
  const [user = "", status = "", id = "", slide = null, number = "", ...more] = rest;
  const isPost = status === "status" && isNumber(id) && more.length === 0;
  if (!isPost || (slide !== null && !isSlide(slide, number))) return null;
  if (user === "i") return { service: "microblog", id, owner: null };
  return isOf(user, WORD, [1, 20]) ? { service: "microblog", id, owner: user } : null;
}

function isMicroblogHost(host: string): boolean {
  const [end, site = "", ...before] = host.split(".").toReversed();
  const isSite = end === "com" && ["x", "twitter"].includes(site);
  return isSite && before.length < 2 && ["www", "m", "mobile"].includes(before[0] ?? "www");
}

function isSlide(kind: string, number: string): boolean {
  return (kind === "photo" || kind === "video") && isOf(number, DIGITS, [1, 1]);
}

function readBoard(host: string, segments: readonly string[]): Denoted | null {
  const [first = "", second = "", third] = segments;
  if (host === "pin.it") {
    const isShort = segments.length === 1 && isOf(first, LETTERS + DIGITS, [1, 64]);
    return isShort ? { service: "pinboard", id: first, owner: null } : null;
  }
  if (!isBoardHost(host) || first !== "pin") return null;
  const dashes = second.lastIndexOf("--");
  const id = dashes > 0 ? second.slice(dashes + 2) : second;
  if (!isNumber(id) || (third !== undefined && third !== "sent")) return null;
  return { service: "pinboard", id, owner: null };
}

function isBoardHost(host: string): boolean {
  const labels = host.split(".");
  const [first = ""] = labels;
  const isCountry = first === "www" || isOf(first, LOWER, [2, 2]);
  const [name, ...ending] = isCountry && labels[1] === "pinterest" ? labels.slice(1) : labels;
  return name === "pinterest" && BOARD_ENDINGS.includes(ending.join("."));
}

function readMessenger(host: string, segments: readonly string[]): Denoted | null {
  const bare = host.startsWith("www.") ? host.slice(4) : host;
  if (!["t.me", "telegram.me", "telegram.dog"].includes(bare)) return null;
  const rest = segments[0] === "s" ? segments.slice(1) : segments;
  const [channel = "", id = "", ...more] = rest;
  const isChannel = LETTERS.includes(channel.charAt(0)) && isOf(channel, WORD, [4, 32]);
  if (!isChannel || more.length > 0 || !isOf(id, DIGITS, [1, 10])) return null;
  return { service: "messenger-channel", id, owner: channel };
}
