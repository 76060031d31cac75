export {
  type Progress,
  PublicMediaClient,
  type ResolveAnswer,
  type Resolved,
  type ResolveManyOptions,
  type ResolveOptions,
} from "./client.ts";
export type {
  ErrorBody,
  ErrorCode,
  MediaItem,
  ResolveRequest,
  ResolveResponse,
  Service,
} from "./contract/contract.ts";
export * from "./contract/errors.ts";
export type { Downloaded, DownloadOptions } from "./download/download.ts";
export type { OpenedMedia } from "./download/open.ts";
export type { ClientOptions } from "./options.ts";
export type { Credits, RateLimit } from "./resolve/answer.ts";
export type { Items } from "./runtime/each.ts";
export { expiresAt } from "./services/expires-at.ts";
export { type Recognition, recognize } from "./services/recognize.ts";
