"""One request and its answer over HTTP/1.1. Follows no redirect, and uses no proxy."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from .answer import Headers
from .connection import open_socket
from .time_limit import TimeLimit
from .version import VERSION

USER_AGENT = f"public-media-client-python/{VERSION}"


@dataclass(frozen=True)
class Request:
    method: str
    #: Absolute and ASCII only.
    url: str
    #: One of them may be the key.
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = None


class LostConnectionError(Exception):
    """There was no answer, or no whole one. The message says why, without the URL."""


class UntrustedServerError(LostConnectionError):
    """The server's certificate is not valid. Another attempt would not help."""


@dataclass(frozen=True)
class Reply:
    """The head of an answer. Its body is read piece by piece."""

    status: int
    headers: Headers
    _response: http.client.HTTPResponse

    def pieces(self, size: int) -> Iterator[bytes]:
        """Of at most so many bytes each. Raises LostConnectionError if the body is cut off."""
        declared = self.declared_length()
        received = 0
        with _told_as_lost():
            while piece := self._response.read1(size):
                received += len(piece)
                yield piece
        if declared is not None and received < declared:
            raise LostConnectionError(f"the answer ended after {received} of {declared} bytes")

    def whole(self, limit: int) -> bytes:
        """The whole body. Raises LostConnectionError for one of more bytes."""
        body = b""
        for piece in self.pieces(limit + 1):
            body += piece
            if len(body) > limit:
                raise LostConnectionError(f"the answer has more than {limit} bytes")
        return body

    def declared_length(self) -> int | None:
        if "transfer-encoding" in self.headers:
            return None
        text = self.headers.get("content-length", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


@contextmanager
def exchange(
    request: Request, tls: ssl.SSLContext, limit: TimeLimit
) -> Generator[Reply, None, None]:
    """Sends a request. The limit covers everything until the body has been read.

    Raises LostConnectionError if there is no answer; TimeOverError or StoppedError by the limit.
    """
    target = urlsplit(request.url)
    is_plain = target.scheme == "http"
    host, port = target.hostname or "", target.port or (80 if is_plain else 443)
    with _told_as_lost():
        opened = open_socket(host, port, None if is_plain else tls, limit)
    with closing(opened):
        with _told_as_lost():
            connection = http.client.HTTPConnection(host, port)
            connection.sock = opened
            opened.settimeout(max(limit.tick(), limit.remaining()))
            path = (target.path or "/") + (f"?{target.query}" if target.query else "")
            connection.request(request.method, path, request.body, _headers(request, target.netloc))
            response = connection.getresponse()
        with closing(response):
            headers = {name.lower(): value for name, value in response.getheaders()}
            yield Reply(response.status, headers, response)


def _headers(request: Request, host: str) -> dict[str, str]:
    own = {"Host": host, "User-Agent": USER_AGENT, "Accept-Encoding": "identity"}
    return {**own, "Connection": "close", **request.headers}


@contextmanager
def _told_as_lost() -> Generator[None, None, None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise UntrustedServerError(f"the server's certificate: {error.verify_message}") from None
    except (OSError, http.client.HTTPException) as error:
        # Messages of the standard library may quote what a server sent, at any length.
        detail = error.strerror if isinstance(error, OSError) else None
        raise LostConnectionError(
            f"{type(error).__name__}: {detail or 'no valid answer'}"
        ) from None
