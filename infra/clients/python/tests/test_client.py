"""What is refused before anything is sent, what retries wait, and what errors show."""

from __future__ import annotations

import pickle
import unittest
from collections.abc import Iterator
from threading import Event
from unittest.mock import patch

import public_media
from public_media import (
    Answer,
    ApiError,
    Client,
    Credits,
    MediaItem,
    MediaMetadata,
    Post,
    Progress,
    PublicMediaError,
    RateLimitedError,
    UnrecognizedUrlError,
    UpstreamError,
    expires_at,
    recognize,
)
from public_media.batch import Outcome, run
from public_media.retries import backoff, wait_after

KEY = "svc_live_secret"


class ArgumentsTest(unittest.TestCase):
    def test_a_key_that_is_no_header_is_refused_without_being_shown(self) -> None:
        for key in ("", f"{KEY}\n", f"{KEY} x", f"{KEY}\r\nx: y", f"{KEY}é", KEY * 20):
            with self.subTest(key=len(key)), self.assertRaises(ValueError) as caught:
                Client(api_key=key, base_url="https://api.example.com")
            self.assertNotIn(KEY, f"{caught.exception!r}")

    def test_the_key_goes_nowhere_without_tls_but_to_this_machine(self) -> None:
        for base_url in (
            "http://api.example.com",
            "http://127.0.0.1.example.com",
            "ftp://127.0.0.1",
            "https://user:word@api.example.com",
            "https://api.example.com?x",
            "https://api.exämple.com",
            "https://api.example.com/ x",
            "api.example.com",
            "",
        ):
            with self.subTest(base_url), self.assertRaisesRegex(ValueError, "base_url"):
                Client(api_key=KEY, base_url=base_url)
        for base_url in ("http://127.0.0.1:8787", "http://localhost", "http://[::1]:1/"):
            with self.subTest(base_url):
                Client(api_key=KEY, base_url=base_url)

    def test_other_arguments_are_checked_at_once(self) -> None:
        client = Client(api_key=KEY, base_url="http://127.0.0.1:1")
        with self.assertRaisesRegex(ValueError, "idempotency_key"):
            client.resolve("https://x.com/u/status/1", idempotency_key="a\nb")
        for concurrency in (0, 65):
            with self.assertRaisesRegex(ValueError, "concurrency"):
                client.resolve_many([], concurrency=concurrency)
        with self.assertRaisesRegex(ValueError, "deadline"):
            client.resolve("https://x.com/u/status/1", deadline=0)

    def test_the_client_does_not_show_its_key(self) -> None:
        client = Client(api_key=KEY, base_url="https://api.example.com/")
        self.assertEqual(repr(client), "Client(base_url='https://api.example.com')")


class ErrorsTest(unittest.TestCase):
    def test_every_error_is_of_one_base(self) -> None:
        names = [name for name in public_media.__all__ if name.endswith("Error")]
        self.assertEqual(len(names), 16)
        for name in names:
            self.assertTrue(issubclass(getattr(public_media, name), PublicMediaError), name)

    def test_an_error_passes_between_processes(self) -> None:
        error = RateLimitedError("No.", status=429, code="RATE_LIMITED", retry_after_seconds=2.0)
        error.idempotency_key, error.attempts = "k", 3
        again: object = pickle.loads(pickle.dumps(error))
        assert isinstance(again, RateLimitedError)
        self.assertEqual(str(again), "429 RATE_LIMITED: No.")
        self.assertEqual(vars(again), vars(error))


class BackoffTest(unittest.TestCase):
    def test_doubles_up_to_20_seconds_with_full_jitter(self) -> None:
        with patch("random.random", return_value=1.0):
            waits = [backoff(attempt) for attempt in (1, 2, 3, 4, 5, 6, 7, 1_000_000)]
        self.assertEqual(waits, [0.5, 1, 2, 4, 8, 16, 20, 20])
        with patch("random.random", return_value=0.0):
            self.assertEqual([backoff(attempt) for attempt in (1, 9)], [0, 0])

    def test_adds_to_the_reset_of_a_429(self) -> None:
        limited = RateLimitedError("No.", status=429, retry_after_seconds=30)
        for drawn, expected in ((0.0, 30), (0.5, 30.25)):
            with patch("random.random", return_value=drawn):
                self.assertEqual(wait_after(limited, 1), expected)

    def test_is_never_shorter_than_a_502_asks_for(self) -> None:
        for asked, expected in ((None, 8), (3.0, 8), (30.0, 30)):
            failing = UpstreamError("No.", status=502, retry_after_seconds=asked)
            with patch("random.random", return_value=1.0):
                self.assertEqual(wait_after(failing, 5), expected)


class ExpiryTest(unittest.TestCase):
    def test_is_read_from_the_urls_of_each_platform(self) -> None:
        for url, expected in (
            (
                "https://a.cdninstagram.com/a.jpg?x=1&oe=6A49B9DA",
                "2026-07-05T01:56:42+00:00",
            ),
            ("https://v16m.tiktokcdn.com/y/?expire=1800000000", "2027-01-15T08:00:00+00:00"),
            ("https://p16.tiktokcdn.com/y/?x-expires=1800000000&b", "2027-01-15T08:00:00+00:00"),
            ("https://scontent.cdninstagram.com/a.jpg?oe=00000001", None),
            ("https://scontent.cdninstagram.com/a.jpg?foe=6A49B9DA", None),
            ("https://pbs.twimg.com/a.jpg?oe=6A49B9DA", None),
            ("https://example.org/a.jpg?oe=6A49B9DA", None),
            ("nonsense", None),
        ):
            with self.subTest(url):
                found = expires_at(MediaItem("image", url))
                self.assertEqual(found and found.isoformat(), expected)


class RecognizeTest(unittest.TestCase):
    """`test/clients/python/agree.py` compares thousands of URLs with the service's own decision."""

    def test_says_service_and_price(self) -> None:
        found = recognize("HTTPS://T.ME:443/s/Name/12?q=ü#top")
        self.assertEqual((found.service, found.credits_per_item), ("messenger-channel", 2))
        self.assertEqual(found.url, "https://t.me/s/Name/12?q=%C3%BC")
        self.assertTrue(recognize("https://pin.it/4abc").is_short_link)

    def test_says_what_an_unknown_url_is(self) -> None:
        for url, message in (
            (
                "https://example.org/",
                "url: is not a supported URL; expected instagram.com/p/<code> or ",
            ),
            ("https://vm.tiktok.com/ZM1/", "short share link of short-video: expand it first"),
            ("t.me/name/1", "url: must begin with https:// or http://"),
        ):
            with self.subTest(url), self.assertRaisesRegex(UnrecognizedUrlError, message):
                recognize(url)

    def test_a_service_that_does_not_exist_is_a_mistake_of_the_caller(self) -> None:
        with self.assertRaisesRegex(ValueError, "must be one of photo-feed, "):
            recognize("https://t.me/name/1", "telegram")


def answered(charged: int) -> Answer:
    metadata = MediaMetadata(None, None, None)
    post = Post(True, "microblog", "u", 1, (), metadata, "r", charged)
    return Answer(post, Credits(charged, None), False, "r", None)


class BatchTest(unittest.TestCase):
    def test_takes_a_url_only_when_a_place_is_free(self) -> None:
        taken: list[int] = []

        def urls() -> Iterator[str]:
            for number in range(1_000):
                taken.append(number)
                yield str(number)

        outcomes = run(urls(), lambda url, stop: answered(1), 3, None)
        for count in (1, 2, 3):
            next(outcomes)
            self.assertLessEqual(len(taken), count + 3)
        self.assertEqual(len(list(outcomes)), 997)

    def test_runs_no_more_than_so_many_at_once(self) -> None:
        running: list[str] = []
        most: list[int] = []
        three = Event()

        def ask(url: str, stop: Event) -> Answer:
            running.append(url)
            most.append(len(running))
            if len(running) == 3:
                three.set()
            three.wait(5)
            running.remove(url)
            return answered(1)

        self.assertEqual(len(list(run(map(str, range(30)), ask, 3, None))), 30)
        self.assertEqual(max(most), 3)

    def test_keeps_what_was_begun_when_the_source_fails(self) -> None:
        def urls() -> Iterator[str]:
            yield from "ab"
            raise OSError("the file is gone")

        seen: list[Outcome] = []
        with self.assertRaisesRegex(OSError, "the file is gone"):
            seen.extend(one for one in run(urls(), lambda url, stop: answered(1), 4, None))
        outcomes = run(urls(), lambda url, stop: answered(1), 4, None)
        self.assertEqual({next(outcomes).url, next(outcomes).url}, {"a", "b"})

    def test_tells_how_far_it_is(self) -> None:
        def ask(url: str, stop: Event) -> Answer:
            if url == "b":
                raise ApiError("No.", status=422)
            return answered(2)

        told: list[Progress] = []
        list(run("abc", ask, 1, told.append))
        self.assertEqual(told, [Progress(1, 0, 2), Progress(1, 1, 2), Progress(2, 1, 4)])

    def test_lets_a_bug_through(self) -> None:
        def ask(url: str, stop: Event) -> Answer:
            raise KeyError(url)

        with self.assertRaises(KeyError):
            list(run("a", ask, 1, None))


if __name__ == "__main__":
    unittest.main()
