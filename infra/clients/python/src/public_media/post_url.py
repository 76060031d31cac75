"""Which service a URL belongs to, decided as the service itself does, before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from .errors import UnrecognizedUrlError
from .services import Service, catalogue


@dataclass(frozen=True)
class Recognized:
    """A URL that a service accepts."""

    service: str
    #: As the answer's `source_url` will have it: without fragment, otherwise nothing is changed.
    url: str
    credits_per_item: int
    #: Only the platform knows which post it leads to.
    is_short_link: bool


@dataclass(frozen=True)
class _Parts:
    """A URL as submitted: split at its delimiters, not repaired."""

    text: str
    scheme: str
    authority: str
    path: str

    @property
    def host(self) -> str:
        return self.authority.partition(":")[0].lower()

    @property
    def bare_path(self) -> str:
        """Without the slash at its end."""
        return self.path.removesuffix("/")


_DEFAULT_PORTS = {"http": "80", "https": "443"}

# JavaScript's white space, and the control characters. Python's `\s` has other ones.
_WHITE = re.compile(
    "[\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]",
)
_IP_ADDRESS = re.compile(r"\[|[\d.]+(?:\Z|:)|0x", re.ASCII | re.IGNORECASE)
_PLAIN_HOST = re.compile(r"[a-z0-9.-]+(?::\d+)?", re.ASCII | re.IGNORECASE)
_DOT_SEGMENTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|\Z)", re.ASCII | re.IGNORECASE)
_PATH_RESERVED = '"<>^`{}'
_QUERY_RESERVED = "\"<>'"
_CUT = re.compile(r"([^:/?#]*)://([^/?#]*)([^?#]*)")


def _has_own_port(parts: _Parts) -> bool:
    _, colon, port = parts.authority.partition(":")
    return colon == "" or port == _DEFAULT_PORTS.get(parts.scheme)


# The rules for every URL, in order. They are those of the service (`src/search/post-url.ts`); a
# test compares both on thousands of URLs.
_RULES: tuple[tuple[Callable[[_Parts], bool], str], ...] = (
    (
        lambda parts: _WHITE.search(parts.text) is None,
        "must not contain white space or control characters",
    ),
    (lambda parts: "\\" not in parts.text, "must not contain a backslash"),
    (lambda parts: parts.scheme in _DEFAULT_PORTS, "must begin with https:// or http://"),
    (lambda parts: "@" not in parts.authority, "must not carry a user name or password"),
    (lambda parts: _IP_ADDRESS.match(parts.authority) is None, "must not name an IP address"),
    (_has_own_port, "must not carry a port"),
    (
        lambda parts: _PLAIN_HOST.fullmatch(parts.authority) is not None,
        "must name a host in plain ASCII letters, digits, dots and hyphens",
    ),
    (
        lambda parts: not parts.host.endswith("."),
        "must not have a host that ends in a dot",
    ),
    (
        lambda parts: _DOT_SEGMENTS.search(parts.path) is None,
        "must not contain dot segments",
    ),
)


def recognize(url: str, service: str | None = None) -> Recognized:
    """Says which service a URL belongs to, and what an item of it costs.

    With `service`, only that service is asked. The message is then the one that the service itself
    would answer with.

    Raises UnrecognizedUrlError, whose message says which rule is broken or what the URL is instead;
    ValueError for a service that does not exist.
    """
    services = catalogue().services
    asked = [one for one in services if service in (None, one.name)]
    if not asked:
        raise ValueError(f"service: must be one of {', '.join(one.name for one in services)}")
    parts = _checked(url)
    for one in asked:
        found = _match(parts, one)
        if found is not None:
            return found
    raise UnrecognizedUrlError(f"url: {_mismatch(parts, None if service is None else asked[0])}")


def _checked(url: str) -> _Parts:
    limit = catalogue().url_characters_max
    # Pairs of surrogates, which a text made by hand may have, count as JavaScript counts them.
    text = url.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if len(text) > limit:
        raise UnrecognizedUrlError(f"url: must be at most {limit} characters")
    parts = _cut(text)
    for holds, message in _RULES:
        if not holds(parts):
            raise UnrecognizedUrlError(f"url: {message}")
    return parts


def _cut(text: str) -> _Parts:
    """Without `://` the scheme is empty, and the rule for schemes refuses it."""
    found = _CUT.match(text)
    scheme, authority, path = ("", "", "") if found is None else found.groups()
    return _Parts(text, scheme.lower(), authority, path)


def _match(parts: _Parts, service: Service) -> Recognized | None:
    place = next((one for one in service.places if one.has(parts.host)), None)
    if place is None or not place.match(parts.host, parts.bare_path):
        return None
    url = _normalized(parts)
    return Recognized(service.name, url, service.credits_per_item, place.is_short_link)


def _normalized(parts: _Parts) -> str:
    """What `new URL(text)` prints without its fragment (WHATWG URL, 2026), for an accepted URL."""
    before_fragment = parts.text.partition("#")[0]
    _, mark, query = before_fragment.partition("?")
    path = _encoded(parts.path, _PATH_RESERVED)
    return f"{parts.scheme}://{parts.host}{path}{mark}{_encoded(query, _QUERY_RESERVED)}"


def _encoded(text: str, reserved: str) -> str:
    """Percent-encodes these characters and all that are not visible ASCII; leaves `%` alone."""
    pattern = f"[^!-~]|[{re.escape(reserved)}]"
    return re.sub(pattern, lambda found: quote(found[0], safe=""), text)


def _mismatch(parts: _Parts, service: Service | None) -> str:
    if service is None:
        shapes = [shape for one in catalogue().services for shape in one.shapes]
        expected = f"is not a supported URL; expected {' or '.join(shapes)}"
    else:
        expected = f"is not a {service.name} URL; expected {' or '.join(service.shapes)}"
    found = _other_kind(parts, service)
    return expected if found is None else f"{expected}; this is a {found}"


def _other_kind(parts: _Parts, service: Service | None) -> str | None:
    """What the URL is instead, if any service knows it."""
    services = catalogue().services
    for other in services:
        post = _match(parts, other)
        if post is None:
            continue
        if post.is_short_link:
            name = other.name
            return f"short share link of {name}: send it as {name}, or expand it first"
        return f"{other.name} URL"
    for other in services:
        if any(place.match(parts.host, parts.bare_path) for place in other.share_links):
            whose = "" if other == service else f" of {other.name}"
            return f"short share link{whose}: expand it first, and send the URL that it leads to"
    return None
