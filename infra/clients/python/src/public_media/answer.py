"""The answers of the service, as types. Fields have the names of the contract."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from time import time
from typing import Literal

from .errors import ERRORS_BY_CODE, ApiError
from .shape import Record, ShapeError, read_json

MediaType = Literal["video", "image", "audio"]
_MEDIA_TYPES: dict[str, MediaType] = {"video": "video", "image": "image", "audio": "audio"}


@dataclass(frozen=True)
class MediaItem:
    """One medium. Its URL is temporary: use it at once."""

    type: MediaType
    url: str


@dataclass(frozen=True)
class MediaMetadata:
    title: str | None
    author: str | None
    caption: str | None


@dataclass(frozen=True)
class Post:
    """The body of a success."""

    ok: bool
    service: str
    source_url: str
    item_count: int
    items: tuple[MediaItem, ...]
    metadata: MediaMetadata
    request_id: str
    #: What the post has cost, also when this answer repeats it for nothing.
    credits_used: int


@dataclass(frozen=True)
class Credits:
    #: What this request has cost: 0 for a repetition.
    charged: int
    #: What the account has left; None if the service did not say.
    available: int | None


@dataclass(frozen=True)
class RateLimit:
    remaining: int
    reset_seconds: int


@dataclass(frozen=True)
class Answer:
    post: Post
    credits: Credits
    #: The answer repeats one that was paid before.
    is_replay: bool
    request_id: str
    rate_limit: RateLimit | None
    #: How many requests were sent for it.
    attempts: int = 1
    idempotency_key: str = ""

    def told(self, attempts: int, idempotency_key: str) -> Answer:
        return replace(self, attempts=attempts, idempotency_key=idempotency_key)


#: Header names in lower case.
Headers = Mapping[str, str]


def read_answer(headers: Headers, body: bytes) -> Answer:
    """Reads a 200. Raises ShapeError for one that the service would not send."""
    post = _read_post(read_json(body))
    is_replay = headers.get("idempotent-replayed") == "true"
    charged = _integer(headers.get("x-credits-charged"))
    if charged is None:
        charged = 0 if is_replay else post.credits_used
    return Answer(
        post=post,
        credits=Credits(charged, _integer(headers.get("x-credits-available"))),
        is_replay=is_replay,
        request_id=post.request_id,
        rate_limit=_rate_limit(headers),
    )


def read_refusal(status: int, headers: Headers, body: bytes) -> ApiError:
    """Reads any other answer, also one that is not the service's own."""
    try:
        record = read_json(body)
        code, message = record.text("code"), record.text("message")
    except ShapeError:
        code, message = "UNKNOWN", "the answer is not the service's own"
    refusal = ERRORS_BY_CODE.get(code, ApiError)
    return refusal(
        message,
        status=status,
        code=code,
        request_id=headers.get("x-request-id"),
        retry_after_seconds=_retry_after(headers, status),
    )


def _read_post(body: Record) -> Post:
    if not body.flag("ok"):
        raise ShapeError("ok is not true")
    metadata = body.record("metadata")
    return Post(
        ok=True,
        service=body.text("service"),
        source_url=body.text("source_url"),
        item_count=body.integer("item_count"),
        items=tuple(MediaItem(_media_type(one), one.text("url")) for one in body.records("items")),
        metadata=MediaMetadata(
            title=metadata.text_or_none("title"),
            author=metadata.text_or_none("author"),
            caption=metadata.text_or_none("caption"),
        ),
        request_id=body.text("request_id"),
        credits_used=body.integer("credits_used"),
    )


def _media_type(item: Record) -> MediaType:
    name = item.text("type")
    found = _MEDIA_TYPES.get(name)
    if found is None:
        raise ShapeError(f"type is not one of {', '.join(_MEDIA_TYPES)}")
    return found


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch("[0-9]{1,15}", text) else None


def _rate_limit(headers: Headers) -> RateLimit | None:
    """`"default";r=119;t=60`, as in draft-ietf-httpapi-ratelimit-headers."""
    text = headers.get("ratelimit", "")
    remaining = re.search(r";r=([0-9]{1,9})(?:;|$)", text)
    reset = re.search(r";t=([0-9]{1,9})(?:;|$)", text)
    if remaining is None or reset is None:
        return None
    return RateLimit(int(remaining[1]), int(reset[1]))


def _retry_after(headers: Headers, status: int) -> float | None:
    """Seconds or an HTTP date. A 429 without the header may still say when the window ends."""
    text = headers.get("retry-after", "")
    seconds = _integer(text)
    if seconds is not None:
        return float(seconds)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except (TypeError, ValueError, OverflowError):
        pass
    limit = _rate_limit(headers)
    return float(limit.reset_seconds) if limit is not None and status == 429 else None
