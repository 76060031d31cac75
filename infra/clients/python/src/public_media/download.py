"""Puts a media file into place, whole or not at all."""

from __future__ import annotations

import ssl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from urllib.parse import urljoin, urlsplit

from .answer import MediaItem
from .errors import DownloadError
from .exchange import LostConnectionError, Reply, Request, exchange
from .expiry import expires_at
from .media_host import host_of, is_loopback, is_within, services_of
from .part_file import PartFile
from .retries import Patience, backoff
from .services import catalogue
from .time_limit import TimeLimit, TimeOverError

_PIECE_BYTES = 65_536
# A server that sends nothing for so long is asked again for the rest.
_SILENCE_SECONDS = 30.0
_REDIRECTS_MAX = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_PASSING = (408, 425, 429, 500, 502, 503, 504)
# What a server says that does not know the type.
_UNTYPED = ("", "application/octet-stream", "binary/octet-stream")
_TYPES = {"image": ("image/",), "video": ("video/",), "audio": ("audio/", "video/mp4")}


@dataclass(frozen=True)
class Download:
    """A file in its place."""

    path: Path
    #: In bytes.
    size: int
    #: As the media server said; None if it did not.
    content_type: str | None
    #: A part of it was there before, or came before a connection was lost.
    resumed: bool


@dataclass(frozen=True)
class Sources:
    """Which servers may be asked."""

    media_domains: frozenset[str]
    allows_loopback: bool

    def check(self, url: str) -> None:
        """Raises DownloadError, without the URL: it is signed."""
        host = host_of(url)
        scheme = urlsplit(url).scheme if host else ""
        if not url.isascii() or not url.isprintable() or " " in url:
            raise DownloadError("the media URL is not plain ASCII")
        if self.allows_loopback and is_loopback(host) and scheme in ("http", "https"):
            return
        if scheme != "https" or urlsplit(url).netloc.lower() != host:
            raise DownloadError("the media URL must begin with https:// without user and port")
        if not is_within(host, self._domains()):
            raise DownloadError(f"{host} is not a media server of any service")

    def _domains(self) -> frozenset[str]:
        own = (domain for one in catalogue().services for domain in one.media_domains)
        return self.media_domains.union(own)


@dataclass(frozen=True)
class Rules:
    sources: Sources
    patience: Patience
    #: In bytes.
    size_max: int
    tls: ssl.SSLContext


def download(item: MediaItem, path: Path, rules: Rules) -> Download:
    return _Task(item, path, rules).run()


class _Task:
    """One download, over all its requests."""

    def __init__(self, item: MediaItem, path: Path, rules: Rules) -> None:
        self._item = item
        self._path = path
        self._rules = rules
        self._part = PartFile(path)
        self._sends_referer = False
        self._is_resumed = False

    def run(self) -> Download:
        whole = TimeLimit(self._rules.patience.deadline, Event())
        failures = 0
        while True:
            size_before = self._part.size
            try:
                content_type = self._attempt(whole)
                size = self._part.move_into_place()
                return Download(self._path, size, content_type, self._is_resumed)
            except LostConnectionError as lost:
                reason = str(lost)
            except TimeOverError:
                reason = "the server was silent for too long"
            # An attempt that brought something has not failed.
            failures = 0 if self._part.size > size_before else failures + 1
            may_go_on = failures < self._rules.patience.attempts_max
            if not (may_go_on and whole.pause(backoff(max(1, failures)))):
                raise DownloadError(f"{self._host}: {reason}; the next call goes on with the part")

    @property
    def _host(self) -> str:
        return host_of(self._item.url)

    def _attempt(self, whole: TimeLimit) -> str | None:
        """Gets what is missing, and returns the content type."""
        silence = whole.part(_SILENCE_SECONDS)
        with self._final_reply(silence) as reply:
            if reply.status != 403 or _referer_of(self._item.url) is None or self._sends_referer:
                return self._receive(reply, silence)
        # Some servers want a page of the platform as Referer, others none at all.
        self._sends_referer = True
        with self._final_reply(silence) as reply:
            return self._receive(reply, silence)

    def _receive(self, reply: Reply, silence: TimeLimit) -> str | None:
        content_type = self._check(reply)
        self._is_resumed = reply.status == 206
        if self._is_resumed:
            self._part.go_on(reply)
        else:
            self._part.begin(reply)
        size = self._part.size_now()
        with self._part.opened() as file:
            for piece in reply.pieces(_PIECE_BYTES):
                size += len(piece)
                if size > self._rules.size_max:
                    raise DownloadError(f"{self._host}: more than {self._rules.size_max} bytes")
                file.write(piece)
                silence.renew()
        self._part.check_whole()
        return content_type

    @contextmanager
    def _final_reply(self, limit: TimeLimit) -> Generator[Reply, None, None]:
        """Follows redirects, each to an allowed server only."""
        url = self._item.url
        for _ in range(_REDIRECTS_MAX + 1):
            self._rules.sources.check(url)
            with exchange(Request("GET", url, self._headers(url)), self._rules.tls, limit) as reply:
                target = reply.headers.get("location")
                if reply.status not in _REDIRECTS or target is None:
                    yield reply
                    return
                url = urljoin(url, target)
        raise DownloadError(f"{self._host} redirects more than {_REDIRECTS_MAX} times")

    def _headers(self, url: str) -> dict[str, str]:
        headers = {"Accept": "*/*", **self._part.range_headers()}
        referer = _referer_of(url)
        if self._sends_referer and referer is not None:
            headers["Referer"] = referer
        return headers

    def _check(self, reply: Reply) -> str | None:
        """The content type. Raises DownloadError for an answer that is not the item's file."""
        status = reply.status
        if status == 416 and self._part.size > 0:
            self._part.drop()
            raise LostConnectionError("the part is not of this file")
        if status in _PASSING:
            raise LostConnectionError(f"the server answers {status}")
        if status not in (200, 206):
            raise DownloadError(f"{self._host} answers {status}{self._expiry()}", status=status)
        content_type = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        expected = _TYPES[self._item.type]
        if content_type not in _UNTYPED and not content_type.startswith(expected):
            raise DownloadError(f"{self._host} sends {content_type[:64]}, not {self._item.type}")
        if reply.headers.get("content-encoding", "identity") != "identity":
            raise DownloadError(f"{self._host} sends the file in another encoding")
        return content_type or None

    def _expiry(self) -> str:
        end = expires_at(self._item)
        return "" if end is None else f"; the URL is valid until {end:%Y-%m-%d %H:%M} UTC"


def _referer_of(url: str) -> str | None:
    wanted = (one.referer_after_403 for one in services_of(url))
    return next((referer for referer in wanted if referer is not None), None)
