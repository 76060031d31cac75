"""Many calls side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event

from .answer import Answer
from .errors import PublicMediaError


@dataclass(frozen=True)
class Outcome:
    """What became of one URL: either `answer` or `error` is there."""

    url: str
    #: Its place among the given URLs, from 0. Outcomes come as they finish.
    index: int
    answer: Answer | None
    error: PublicMediaError | None

    @property
    def ok(self) -> bool:
        return self.answer is not None


@dataclass(frozen=True)
class Progress:
    """How many URLs a run has finished so far, and what they have cost."""

    resolved: int
    failed: int
    credits_charged: int


OnProgress = Callable[[Progress], None]
#: Stops when the event is set.
Ask = Callable[[str, Event], Answer]


def run(
    urls: Iterable[str], ask: Ask, concurrency: int, on_progress: OnProgress | None
) -> Iterator[Outcome]:
    """Takes the next URL only when a place is free. Whoever leaves the loop stops the run.

    An exception of `urls` comes out after the outcomes of what had been begun: those may be paid.
    """
    stop = Event()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="public-media")
    source = _Source(urls)
    running: set[Future[Outcome]] = set()
    progress = Progress(0, 0, 0)
    try:
        while True:
            for index, url in source.take(concurrency - len(running)):
                running.add(pool.submit(_outcome, url, index, ask, stop))
            if not running:
                break
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                outcome = future.result()
                progress = _after(progress, outcome)
                if on_progress is not None:
                    on_progress(progress)
                yield outcome
        if source.failure is not None:
            raise source.failure
    finally:
        stop.set()
        pool.shutdown(wait=True, cancel_futures=True)


class _Source:
    """The URLs, and what went wrong with them."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._numbered = enumerate(urls)
        self.failure: Exception | None = None

    def take(self, count: int) -> Iterator[tuple[int, str]]:
        for _ in range(count if self.failure is None else 0):
            try:
                yield next(self._numbered)
            except StopIteration:
                return
            except Exception as error:
                self.failure = error
                return


def _outcome(url: str, index: int, ask: Ask, stop: Event) -> Outcome:
    try:
        return Outcome(url, index, ask(url, stop), None)
    except PublicMediaError as error:
        return Outcome(url, index, None, error)


def _after(before: Progress, outcome: Outcome) -> Progress:
    if outcome.answer is None:
        return replace(before, failed=before.failed + 1)
    charged = before.credits_charged + outcome.answer.credits.charged
    return replace(before, resolved=before.resolved + 1, credits_charged=charged)
