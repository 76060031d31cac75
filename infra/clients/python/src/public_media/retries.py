"""What is tried again, and when: the rules of the contract."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

from .errors import ApiError, ConnectionError, DeadlineError, PublicMediaError
from .exchange import LostConnectionError, UntrustedServerError
from .time_limit import TimeLimit, TimeOverError

_T = TypeVar("_T")

_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 20.0
_RETRIED_STATUSES = (429, 502, 504)
# The ends of two refusals that no wait mends (`src/resolve.ts`, `src/idempotency/begin.ts`).
_SPENT_KEY = "with this Idempotency-Key today"


@dataclass(frozen=True)
class Patience:
    """Seconds, and attempts."""

    #: Of one attempt.
    timeout: float
    #: Of the whole call, waits included.
    deadline: float
    #: Attempts without a 429: the service has not worked on those.
    attempts_max: int

    def __post_init__(self) -> None:
        if self.timeout <= 0 or self.deadline <= 0 or self.attempts_max < 1:
            raise ValueError("timeout, deadline and attempts_max must be greater than 0")


def backoff(attempt: int) -> float:
    """Seconds to wait after this attempt, counted from 1: exponential, capped, with full jitter."""
    most = min(_LONGEST_WAIT_SECONDS, _FIRST_WAIT_SECONDS * 2.0 ** min(attempt - 1, 10))
    return random.random() * most


def wait_after(error: PublicMediaError, attempt: int) -> float:
    """Seconds. The jitter after a reset spreads the clients that wait for the same one."""
    jitter = backoff(attempt)
    asked = (error.retry_after_seconds or 0.0) if isinstance(error, ApiError) else 0.0
    return asked + jitter if _is_limit(error) else max(asked, jitter)


def is_retried(error: PublicMediaError) -> bool:
    """Safe for each of them: all attempts have one Idempotency-Key, and so are paid once."""
    if not isinstance(error, ApiError):
        return isinstance(error, ConnectionError) and not isinstance(
            error.__cause__, UntrustedServerError
        )
    if error.status == 429 and _SPENT_KEY in error.args[0]:
        return False
    return error.status in _RETRIED_STATUSES


def persist(attempt: Callable[[TimeLimit], _T], patience: Patience, stop: Event) -> tuple[_T, int]:
    """Repeats an attempt until it succeeds or another one is of no use.

    Returns its result and the number of attempts. No wait goes past the deadline: the last error
    then comes at once. Raises StoppedError when the run is stopped.
    """
    whole = TimeLimit(patience.deadline, stop)
    sent = 0
    counted = 0
    last: PublicMediaError | None = None
    while True:
        sent += 1
        try:
            return _try_once(attempt, whole, patience.timeout), sent
        except TimeOverError:
            error: PublicMediaError = DeadlineError(
                f"no answer within the deadline of {patience.deadline:g} s"
            )
            error.__cause__ = last
        except (ApiError, ConnectionError) as failed:
            error = failed
        error.attempts = sent
        last = error
        counted += 0 if _is_limit(error) else 1
        if not is_retried(error) or counted >= patience.attempts_max:
            raise error
        if not whole.pause(wait_after(error, sent)):
            raise error


def _is_limit(error: PublicMediaError) -> bool:
    return isinstance(error, ApiError) and error.status == 429


def _try_once(attempt: Callable[[TimeLimit], _T], whole: TimeLimit, timeout: float) -> _T:
    """Raises TimeOverError only when the whole time is over."""
    try:
        return attempt(whole.part(timeout))
    except LostConnectionError as lost:
        raise ConnectionError(f"no answer: {lost}") from lost
    except TimeOverError:
        if whole.remaining() <= 0:
            raise
        raise ConnectionError(f"no answer: none within {timeout:g} s") from None
