"""Client of the Public Media Resolution Service."""

from .answer import (
    Answer,
    Credits,
    MediaItem,
    MediaMetadata,
    MediaType,
    Post,
    RateLimit,
)
from .batch import OnProgress, Outcome, Progress
from .client import Client
from .download import Download
from .errors import (
    ApiError,
    ApiKeyInvalidError,
    ConnectionError,
    DeadlineError,
    DownloadError,
    InsufficientCreditsError,
    MediaNotFoundError,
    PublicMediaError,
    RateLimitedError,
    ServiceUnsupportedError,
    UnrecognizedUrlError,
    UpstreamError,
    UpstreamInvalidResponseError,
    UpstreamRejectedError,
    UpstreamTimeoutError,
    UrlInvalidError,
)
from .expiry import expires_at
from .post_url import Recognized, recognize
from .version import VERSION

__all__ = [
    "VERSION",
    "Answer",
    "ApiError",
    "ApiKeyInvalidError",
    "Client",
    "ConnectionError",
    "Credits",
    "DeadlineError",
    "Download",
    "DownloadError",
    "InsufficientCreditsError",
    "MediaItem",
    "MediaMetadata",
    "MediaNotFoundError",
    "MediaType",
    "OnProgress",
    "Outcome",
    "Post",
    "Progress",
    "PublicMediaError",
    "RateLimit",
    "RateLimitedError",
    "Recognized",
    "ServiceUnsupportedError",
    "UnrecognizedUrlError",
    "UpstreamError",
    "UpstreamInvalidResponseError",
    "UpstreamRejectedError",
    "UpstreamTimeoutError",
    "UrlInvalidError",
    "expires_at",
    "recognize",
]
