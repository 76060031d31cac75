/**
 * Accounts for which a source must have failed: more than one tenant with a few accounts has, so that
 * none can switch a source off for the others. Where fewer are active in an isolate, no source is ever
 * paused there: each request pays for asking it.
 */
export const ACCOUNTS_TO_OPEN = 5;
/** Posts on which it must have failed: more than a handful of bad ones that many people share. */
export const POSTS_TO_OPEN = 10;
/** Failures further back say nothing of now. */
export const RECENT_MS = 60_000;

/** Posts that count of one account: two each are enough, a flood of one account is no evidence. */
const POSTS_PER_ACCOUNT_MAX = 4;
/** Accounts that are kept; the one that failed longest ago makes room. */
const ACCOUNTS_MAX = 32;

/** Since the source's last answer: by account, the posts on which it failed, and when (milliseconds). */
export type Failing = Map<string, Map<string, number>>;

/** How many different accounts and posts a source has failed for lately. */
export interface Evidence {
  readonly accounts: number;
  readonly posts: number;
}

export function isOutage({ accounts, posts }: Evidence): boolean {
  return accounts >= ACCOUNTS_TO_OPEN && posts >= POSTS_TO_OPEN;
}

/** Adds one failure; what is kept stays within the bounds above, whoever fails how often. */
export function addFailure(
  failing: Failing,
  { account, post }: { readonly account: string; readonly post: string },
  nowMs: number,
): void {
  const posts = failing.get(account) ?? new Map<string, number>();
  putLast(failing, account, posts, ACCOUNTS_MAX);
  putLast(posts, post, nowMs, POSTS_PER_ACCOUNT_MAX);
}

/** Forgets what is no longer recent and counts the rest. */
export function failingSince(failing: Failing, nowMs: number): Evidence {
  const all = new Set<string>();
  for (const [account, posts] of failing) {
    for (const [post, atMs] of posts) {
      if (nowMs - atMs > RECENT_MS) posts.delete(post);
      else all.add(post);
    }
    if (posts.size === 0) failing.delete(account);
  }
  return { accounts: failing.size, posts: all.size };
}

/** Puts an entry behind all others; beyond `max` the one goes that was put longest ago. */
export function putLast<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
