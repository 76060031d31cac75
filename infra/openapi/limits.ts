import * as z from "zod/mini";
import {
  MAX_RESULTS_DEFAULT,
  MAX_RESULTS_LIMIT,
  URL_LIMIT_CHARACTERS,
} from "../../src/contract/schemas.ts";
import { OPEN_HOLDS_MAX, SERVICE_OPEN_HOLDS_MAX } from "../../src/credits/limits.ts";
import { RETRY_AFTER_MAX_SECONDS } from "../../src/http/app.ts";
import { BODY_LIMIT_BYTES, BODY_TIMEOUT_MS } from "../../src/http/request-body.ts";
import { DAY_MS } from "../../src/idempotency/attempt-id.ts";
import { ADDRESS_LIMIT_REQUESTS } from "../../src/limiter/address.ts";
import { LIMIT_REQUESTS, LIMIT_WINDOW_SECONDS, REPLAY_LIMIT } from "../../src/limiter/limiter.ts";
import { MEDIA_URL_CHARACTERS_MAX, TEXT_UNITS_MAX } from "../../src/search/media-check.ts";
import { searchSettingsSchema } from "../../src/search/settings.ts";

const WINDOW_SECONDS = z.parse(searchSettingsSchema.shape.RESOLVE_WINDOW_MS, undefined) / 1000;

/** A client waits a little longer than the window, so that it hears how a slow request ended. */
const CLIENT_MARGIN_SECONDS = 10;

/** Every limit that a client can meet, as the code has it. Units stand last. */
export const LIMITS = {
  body_bytes: BODY_LIMIT_BYTES,
  body_complete_within_seconds: BODY_TIMEOUT_MS / 1000,
  url_characters: URL_LIMIT_CHARACTERS,
  max_results: MAX_RESULTS_LIMIT,
  max_results_default: MAX_RESULTS_DEFAULT,
  resolution_window_seconds: WINDOW_SECONDS,
  recommended_client_timeout_seconds: WINDOW_SECONDS + CLIENT_MARGIN_SECONDS,
  requests_per_key: LIMIT_REQUESTS,
  requests_per_key_window_seconds: LIMIT_WINDOW_SECONDS,
  unknown_keys_requests_per_address: ADDRESS_LIMIT_REQUESTS,
  unknown_keys_window_seconds: LIMIT_WINDOW_SECONDS,
  open_requests_per_account: OPEN_HOLDS_MAX,
  open_requests_per_account_and_service: SERVICE_OPEN_HOLDS_MAX,
  idempotency_key_valid_hours: DAY_MS / 3_600_000,
  idempotent_replays: REPLAY_LIMIT.requests,
  retry_after_seconds: RETRY_AFTER_MAX_SECONDS,
  media_url_characters: MEDIA_URL_CHARACTERS_MAX,
  title_utf16_units: TEXT_UNITS_MAX.title,
  author_utf16_units: TEXT_UNITS_MAX.author,
  caption_utf16_units: TEXT_UNITS_MAX.caption,
} as const;
