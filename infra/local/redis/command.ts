/** The answer of a command, as in Redis' own protocol. */
export type Reply = string | number | null | readonly Reply[];

/** The command's name and its arguments. */
export type Command = readonly string[];

/** The outcome of one command; an error is Redis' own text, such as `NOSCRIPT …`. */
export type Outcome = { readonly result: Reply } | { readonly error: string };

/** An error of Redis, in its own words. */
export class RedisError extends Error {}

/** What runs commands: an embedded engine, a server, or either one with a cache of scripts. */
export interface Redis {
  /** One outcome for each command, in order. If `atomic`, nothing else runs between them. */
  readonly run: (commands: readonly Command[], atomic: boolean) => Promise<readonly Outcome[]>;
  readonly stop: () => Promise<void>;
}
