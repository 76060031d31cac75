import type { components } from "./openapi.ts";

type Schemas = components["schemas"];

export type Service = Schemas["Service"];
export type ResolveRequest = Schemas["ResolveRequest"];
export type ResolveResponse = Schemas["ResolveResponse"];
export type MediaItem = Schemas["MediaItem"];
export type ErrorBody = Schemas["Error"];
export type ErrorCode = ErrorBody["code"];
