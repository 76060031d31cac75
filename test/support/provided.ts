import type { Service } from "../../src/contract/schemas.ts";

/** A real reply and what it shows. `file_name` is the last path segment of a medium's URL. */
export interface Recording {
  readonly file: string;
  readonly post_url: string | null;
  readonly status: string;
  readonly items: readonly { readonly type: string; readonly file_name: string }[];
  readonly author: string | null;
  readonly body: string;
}

/** A URL seen in public, with the service that accepts it, if there is one. */
export interface SeenUrl {
  readonly url: string;
  readonly service: Service | null;
}

/** A bundled sample. `requestUrl` is null if the sample has a pattern instead. */
export interface BundledSample {
  readonly service: Service;
  readonly note: string;
  readonly file: string | null;
  readonly sourceUrl: string | null;
  readonly method: string;
  readonly requestUrl: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Data that Node gives to the tests in the worker's runtime, which has no file system. */
declare module "vitest" {
  interface ProvidedContext {
    readonly recordings: readonly Recording[];
    readonly seenUrls: readonly SeenUrl[];
    readonly samples: readonly BundledSample[];
    /** Egress address of a gateway that answers according to the target's path. */
    readonly hostileUrl: string;
    /** What `npm run fuzz` was asked for. */
    readonly fuzz: {
      readonly only: string | null;
      readonly seed: number;
      readonly milliseconds: number;
    };
  }
}
