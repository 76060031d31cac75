"""When a media URL ends, as far as it says so itself."""

from __future__ import annotations

from datetime import datetime, timezone

from .answer import MediaItem
from .media_host import services_of

# Other numbers are no times of our days (2017 to 2103).
_EARLIEST_SECONDS = 1_500_000_000
_LATEST_SECONDS = 4_200_000_000


def expires_at(item: MediaItem) -> datetime | None:
    """The moment (UTC) from which the item's URL no longer opens; None if the URL does not say."""
    moments = (
        int(found["expires"], one.radix)
        for service in services_of(item.url)
        for one in service.expiry
        if (found := one.pattern.search(item.url)) is not None
    )
    possible = [one for one in moments if _EARLIEST_SECONDS <= one <= _LATEST_SECONDS]
    return datetime.fromtimestamp(min(possible), timezone.utc) if possible else None
