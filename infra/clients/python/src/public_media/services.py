"""What the services accept, cost and return: data that is generated from the service's own code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from .shape import Record, read_json


@dataclass(frozen=True)
class Place:
    """Hosts and their paths."""

    hosts: re.Pattern[str]
    paths: tuple[re.Pattern[str], ...]
    is_short_link: bool = False

    def match(self, host: str, path: str) -> bool:
        return self.has(host) and any(pattern.fullmatch(path) for pattern in self.paths)

    def has(self, host: str) -> bool:
        return self.hosts.fullmatch(host) is not None


@dataclass(frozen=True)
class Expiry:
    """Where a media URL says until when it is valid, in seconds since 1970."""

    pattern: re.Pattern[str]
    radix: int


@dataclass(frozen=True)
class Service:
    """One workflow of a platform."""

    name: str
    credits_per_item: int
    #: The canonical shapes of its URLs, for people.
    shapes: tuple[str, ...]
    places: tuple[Place, ...]
    #: Links that only the platform can follow.
    share_links: tuple[Place, ...]
    #: Sub-domains included.
    media_domains: tuple[str, ...]
    #: What to send as `Referer` after a 403 without one; None if nothing helps.
    referer_after_403: str | None
    expiry: tuple[Expiry, ...]


@dataclass(frozen=True)
class Catalogue:
    url_characters_max: int
    services: tuple[Service, ...]


@cache
def catalogue() -> Catalogue:
    """Read once, when it is first needed."""
    data = read_json(files("public_media").joinpath("services.json").read_text("utf-8"))
    return Catalogue(
        url_characters_max=data.integer("url_characters_max"),
        services=tuple(_read_service(one) for one in data.records("services")),
    )


def _read_service(data: Record) -> Service:
    download = data.record("download")
    return Service(
        name=data.text("service"),
        credits_per_item=data.integer("credits_per_item"),
        shapes=tuple(data.texts("shapes")),
        places=tuple(_read_place(one, one.flag("short_link")) for one in data.records("places")),
        share_links=tuple(_read_place(one) for one in data.records("share_links")),
        media_domains=tuple(data.texts("media_domains")),
        referer_after_403=download.text_or_none("referer_after_403"),
        expiry=tuple(
            Expiry(_compile(one.text("pattern")), one.integer("radix"))
            for one in download.records("expiry")
        ),
    )


def _read_place(data: Record, is_short_link: bool = False) -> Place:
    paths = tuple(_compile(source) for source in data.texts("paths"))
    return Place(_compile(data.text("hosts")), paths, is_short_link)


def _compile(source: str) -> re.Pattern[str]:
    """JavaScript's names of groups are spelled otherwise; its classes are ASCII's."""
    return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", source), re.ASCII)
