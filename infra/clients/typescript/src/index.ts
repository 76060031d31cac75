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
} from "./contract.ts";
export type { Downloaded, DownloadOptions } from "./download/download.ts";
export type { OpenedMedia } from "./download/open.ts";
export type { Items } from "./each.ts";
export * from "./errors.ts";
export { expiresAt } from "./expires-at.ts";
export type { ClientOptions } from "./options.ts";
export { type Recognition, recognize } from "./recognize.ts";
export type { Credits, RateLimit } from "./resolve/answer.ts";
