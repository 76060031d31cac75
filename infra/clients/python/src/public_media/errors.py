"""What can go wrong, as types. No message has the API key in it."""

from __future__ import annotations


class PublicMediaError(Exception):
    """The base of every error of this package."""

    #: The key of the call's requests. A new call under it, with the same URL and options, pays at
    #: most once within 24 hours. None if nothing was sent.
    idempotency_key: str | None = None
    #: How many requests the call has sent.
    attempts: int = 0


class UnrecognizedUrlError(PublicMediaError):
    """No service accepts the URL. It was found out before the call: nothing was sent."""


class ConnectionError(PublicMediaError):  # The name in every language's client.
    """The service gave no answer, or something between gave one in its place."""


class DeadlineError(PublicMediaError):
    """The call's deadline ended an attempt. The attempt before it, if any, is the cause."""


class DownloadError(PublicMediaError):
    """A media file could not be had whole."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        #: HTTP status of the media server; None if there was none.
        self.status = status


class ApiError(PublicMediaError):
    """The service has refused the request. Errors cost nothing."""

    # Each has a default, so that an error can be pickled: it is made anew from its message alone.
    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "UNKNOWN",
        request_id: str | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        #: Of the contract's catalogue; `UNKNOWN` if the answer is not the service's own.
        self.code = code
        #: Quote it to support.
        self.request_id = request_id
        #: How long the service asks to wait; None if it did not say.
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        request = f" (request {self.request_id})" if self.request_id else ""
        return f"{self.status} {self.code}: {super().__str__()}{request}"


class ServiceUnsupportedError(ApiError):
    """400: there is no such service."""


class UrlInvalidError(ApiError):
    """400: the message names the field and the rule."""


class ApiKeyInvalidError(ApiError):
    """401: the key is missing, wrong, revoked, inactive or expired."""


class InsufficientCreditsError(ApiError):
    """402: the account cannot hold `max_results` times the price of an item."""


class MediaNotFoundError(ApiError):
    """422: there is no supported public media at this URL."""


class UpstreamRejectedError(ApiError):
    """422: the platform has refused."""


class RateLimitedError(ApiError):
    """429, and the wait would pass the deadline or is of no use."""


class UpstreamInvalidResponseError(ApiError):
    """502, still after the last attempt."""


class UpstreamError(ApiError):
    """502, still after the last attempt."""


class UpstreamTimeoutError(ApiError):
    """504, still after the last attempt."""


#: The class of each code. Any other code is an `ApiError`.
ERRORS_BY_CODE: dict[str, type[ApiError]] = {
    "SERVICE_UNSUPPORTED": ServiceUnsupportedError,
    "URL_INVALID": UrlInvalidError,
    "API_KEY_INVALID": ApiKeyInvalidError,
    "INSUFFICIENT_CREDITS": InsufficientCreditsError,
    "MEDIA_NOT_FOUND": MediaNotFoundError,
    "UPSTREAM_REJECTED": UpstreamRejectedError,
    "RATE_LIMITED": RateLimitedError,
    "UPSTREAM_INVALID_RESPONSE": UpstreamInvalidResponseError,
    "UPSTREAM_ERROR": UpstreamError,
    "UPSTREAM_TIMEOUT": UpstreamTimeoutError,
}
