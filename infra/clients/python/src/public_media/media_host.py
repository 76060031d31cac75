"""Where media may come from."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from .services import Service, catalogue


def services_of(url: str) -> tuple[Service, ...]:
    """The services whose media domains the URL's host belongs to."""
    host = host_of(url)
    return tuple(one for one in catalogue().services if is_within(host, one.media_domains))


def is_within(host: str, domains: Iterable[str]) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def host_of(url: str) -> str:
    """Lower-cased; empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
