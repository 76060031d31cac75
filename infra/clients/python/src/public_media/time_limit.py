"""How long something may take that waits for the network."""

from __future__ import annotations

from threading import Event
from time import monotonic

# How soon a run that is stopped ends, in seconds.
_TICK = 0.1


class TimeOverError(Exception):
    """The time is over."""


class StoppedError(Exception):
    """Nobody waits for the result any more."""


class TimeLimit:
    """When an attempt ends. It ends early when the run that it belongs to is stopped."""

    def __init__(self, seconds: float, stop: Event, latest: float = float("inf")) -> None:
        self._seconds = seconds
        self._stop = stop
        self._latest = latest
        self.renew()

    def renew(self) -> None:
        """Begins anew. A part never ends later than its whole."""
        self._ends_at = min(monotonic() + self._seconds, self._latest)

    def part(self, seconds: float) -> TimeLimit:
        """A limit of its own for a part of the work."""
        return TimeLimit(seconds, self._stop, self._ends_at)

    def remaining(self) -> float:
        return self._ends_at - monotonic()

    def tick(self) -> float:
        """How long to wait at once. Raises TimeOverError or StoppedError when it is over."""
        if self._stop.is_set():
            raise StoppedError
        remaining = self.remaining()
        if remaining <= 0:
            raise TimeOverError
        return min(remaining, _TICK)

    def pause(self, seconds: float) -> bool:
        """Waits, but not if the limit would end meanwhile: then returns False at once."""
        if seconds >= self.remaining():
            return False
        if self._stop.wait(seconds):
            raise StoppedError
        return True
