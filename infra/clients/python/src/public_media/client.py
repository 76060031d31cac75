"""The client: one call for a post, one for many, one for a file."""

from __future__ import annotations

import json
import os
import re
import ssl
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit
from uuid import uuid4

from .answer import Answer, MediaItem, read_answer, read_refusal
from .batch import OnProgress, Outcome, run
from .connection import tls_context
from .download import Download, Rules, Sources, download
from .errors import ConnectionError, PublicMediaError
from .exchange import Request, exchange
from .media_host import is_loopback
from .post_url import recognize
from .retries import Patience, persist
from .shape import ShapeError
from .time_limit import TimeLimit

_ANSWER_BYTES_MAX = 1_048_576
# A header must not be able to hold another one, and the standard library would quote it.
_VISIBLE = re.compile(r"[!-~]{1,255}")


class Client:
    """Asks the service. Several threads may use it; each attempt has its own connection.

    `timeout` is for one attempt: a little more than the 120 s that the service may work. `deadline`
    is for a whole call: one such attempt, and 20 s for waits and the repetition that fetches a lost
    answer. Both are in seconds. `attempts_max` counts no 429: the deadline alone ends those.
    `media_domains` are more domains that media may come from, such as an operator's gateway.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        timeout: float = 130.0,
        deadline: float = 150.0,
        attempts_max: int = 6,
        media_domains: Iterable[str] = (),
    ) -> None:
        if _VISIBLE.fullmatch(api_key) is None:
            raise ValueError("api_key: must be 1 to 255 visible ASCII characters")
        self._authorization = f"Bearer {api_key}"
        self._base_url = _checked_base(base_url)
        self._patience = Patience(timeout, deadline, attempts_max)
        is_local = is_loopback(urlsplit(base_url).hostname or "")
        self._sources = Sources(frozenset(media_domains), allows_loopback=is_local)

    def __repr__(self) -> str:
        return f"Client(base_url={self._base_url!r})"

    def resolve(
        self,
        url: str,
        *,
        service: str | None = None,
        max_results: int | None = None,
        idempotency_key: str | None = None,
        deadline: float | None = None,
    ) -> Answer:
        """Gets a post's media. However often it has to ask, a success is paid once.

        Without `service`, the URL says which one it is, and an unknown URL is refused before
        anything is sent. With it, the service itself decides.

        An error of a call that sent something has its `idempotency_key`. Pass it on to ask again
        for what may have been paid, with the same URL and options, within 24 hours.
        """
        return self._resolve(
            _body(url, service, max_results), _key(idempotency_key), self._within(deadline), Event()
        )

    def resolve_many(
        self,
        urls: Iterable[str],
        *,
        concurrency: int = 4,
        service: str | None = None,
        max_results: int | None = None,
        deadline: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> Iterator[Outcome]:
        """Gets many posts, so many at a time. Yields each outcome as it finishes, errors included.

        The next URL is taken when a place is free, in the caller's thread. Whoever leaves the loop
        stops the run: it sends nothing more and waits for no answer. `deadline` is for each URL.
        """
        if not 1 <= concurrency <= 64:
            raise ValueError("concurrency: must be from 1 to 64")
        patience = self._within(deadline)

        def ask(url: str, stop: Event) -> Answer:
            return self._resolve(_body(url, service, max_results), _key(None), patience, stop)

        return run(urls, ask, concurrency, on_progress)

    def download(
        self,
        item: MediaItem,
        path: str | os.PathLike[str],
        *,
        deadline: float = 3_600.0,
        size_max: int = 4_294_967_296,
    ) -> Download:
        """Puts an item's file at a path, in place of what is there.

        The file grows as `path.part`, which the next call goes on with. The media server gets no
        key. It must be one of the platforms', or of the client's `media_domains`.

        Raises DownloadError for another server or type, a refusal, a file of more than `size_max`
        bytes, or one that stays incomplete.
        """
        patience = replace(self._patience, deadline=deadline)
        return download(item, Path(path), Rules(self._sources, patience, size_max, self._tls))

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context()

    def _within(self, deadline: float | None) -> Patience:
        return self._patience if deadline is None else replace(self._patience, deadline=deadline)

    def _resolve(self, body: bytes, key: str, patience: Patience, stop: Event) -> Answer:
        headers = {
            "Authorization": self._authorization,
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        }
        request = Request("POST", f"{self._base_url}/v1/resolve", headers, body)
        try:
            answer, attempts = persist(lambda limit: self._ask(request, limit), patience, stop)
        except PublicMediaError as error:
            error.idempotency_key = key
            raise
        return answer.told(attempts, key)

    def _ask(self, request: Request, limit: TimeLimit) -> Answer:
        with exchange(request, self._tls, limit) as reply:
            body = reply.whole(_ANSWER_BYTES_MAX)
        if reply.status != 200:
            raise read_refusal(reply.status, reply.headers, body)
        try:
            return read_answer(reply.headers, body)
        except ShapeError as error:
            raise ConnectionError(f"the answer is not the service's: {error}") from error


def _checked_base(base_url: str) -> str:
    """Without the slash at its end. The key goes over TLS, or stays on this machine."""
    parts = urlsplit(base_url)
    host = parts.hostname
    if host is None or parts.username is not None or parts.query or parts.fragment:
        raise ValueError("base_url: must be an address such as https://api.example.com")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise ValueError("base_url: must begin with https://, or name this machine")
    if not base_url.isascii() or not base_url.isprintable() or " " in base_url:
        raise ValueError("base_url: must be plain ASCII")
    return base_url.rstrip("/")


def _body(url: str, service: str | None, max_results: int | None) -> bytes:
    name = recognize(url).service if service is None else service
    request: dict[str, str | int] = {"service": name, "url": url}
    if max_results is not None:
        request["max_results"] = max_results
    return json.dumps(request).encode()


def _key(given: str | None) -> str:
    if given is None:
        return str(uuid4())
    if _VISIBLE.fullmatch(given) is None:
        raise ValueError("idempotency_key: must be 1 to 255 visible ASCII characters")
    return given
