"""The client against the whole service, with faults on the way (`test/clients/python/stage.ts`)."""

from __future__ import annotations

import threading
import time
import unittest
from collections.abc import Callable
from functools import partial

from public_media import (
    ApiError,
    ApiKeyInvalidError,
    Client,
    ConnectionError,
    DeadlineError,
    InsufficientCreditsError,
    MediaNotFoundError,
    PublicMediaError,
    RateLimitedError,
    ServiceUnsupportedError,
    UnrecognizedUrlError,
    UpstreamError,
    UpstreamInvalidResponseError,
    UpstreamRejectedError,
    UpstreamTimeoutError,
    UrlInvalidError,
)

from stage import Customer, Fault, answer, delay_platform, fault, new_customer

PHOTOS = "https://x.com/sample_account/status/1900000000000000102"
VIDEO = "https://x.com/sample_account/status/1900000000000000101"
DELETED = "https://x.com/sample_account/status/1900000000000000104"
CHANNEL = "https://t.me/sample_channel/101"


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        self.customer = new_customer()

    def assert_paid(self, customer: Customer, *, credits: int, times: int) -> None:
        standing = customer.standing()
        told = {name: standing[name] for name in ("available", "held", "charged", "paid")}
        expected = {"available": 20 - credits, "held": 0, "charged": credits, "paid": times}
        self.assertEqual(told, expected)

    def assert_requests(self, customer: Customer, count: int) -> None:
        """So many, all under one Idempotency-Key and with one body."""
        seen = customer.standing()["seen"]
        self.assertEqual(len(seen), count)
        self.assertEqual(len({(one["idempotencyKey"], one["body"]) for one in seen}), 1)

    def refusal(self, call: Callable[[], object], kind: type[ApiError]) -> ApiError:
        with self.assertRaises(kind) as caught:
            call()
        self.assertIs(type(caught.exception), kind)
        return caught.exception


class ResolveTest(ServiceTest):
    def test_gets_a_post_and_says_what_it_has_cost(self) -> None:
        found = self.customer.client().resolve(PHOTOS, max_results=3)
        self.assertEqual(found.post.service, "microblog")
        self.assertEqual(found.post.source_url, PHOTOS)
        self.assertEqual([item.type for item in found.post.items], ["image"] * 3)
        self.assertEqual(found.post.metadata.author, "sample_account")
        self.assertEqual((found.credits.charged, found.credits.available), (3, 17))
        self.assertEqual((found.post.item_count, found.post.credits_used), (3, 3))
        self.assertEqual((found.attempts, found.is_replay), (1, False))
        self.assertEqual(found.request_id, found.post.request_id)
        assert found.rate_limit is not None
        self.assertLess(found.rate_limit.remaining, 120)
        self.assert_paid(self.customer, credits=3, times=1)

    def test_pays_the_price_of_a_service_whose_items_cost_two(self) -> None:
        found = self.customer.client().resolve(CHANNEL)
        self.assertEqual(found.credits.charged, 2)
        self.assert_paid(self.customer, credits=2, times=1)

    def test_repeats_under_a_given_key_for_nothing(self) -> None:
        client = self.customer.client()
        first = client.resolve(VIDEO, idempotency_key="order-1")
        again = client.resolve(VIDEO, idempotency_key="order-1")
        self.assertTrue(again.is_replay)
        self.assertEqual((again.credits.charged, again.post.credits_used), (0, 1))
        self.assertEqual(again.request_id, first.request_id)
        self.assert_paid(self.customer, credits=1, times=1)

    def test_pays_two_calls_without_a_given_key_both(self) -> None:
        client = self.customer.client()
        keys = {client.resolve(VIDEO).idempotency_key, client.resolve(VIDEO).idempotency_key}
        self.assertEqual(len(keys), 2)
        self.assert_paid(self.customer, credits=2, times=2)

    def test_refuses_an_unknown_url_without_sending_anything(self) -> None:
        with self.assertRaises(UnrecognizedUrlError):
            self.customer.client().resolve("https://example.org/1")
        self.assertEqual(self.customer.standing()["seen"], [])


class RefusalTest(ServiceTest):
    """Each of these is sent once."""

    def tearDown(self) -> None:
        self.assert_requests(self.customer, 1)
        self.assert_paid(self.customer, credits=0, times=0)

    def test_400_of_a_url_of_another_service(self) -> None:
        client = self.customer.client()
        error = self.refusal(lambda: client.resolve(CHANNEL, service="microblog"), UrlInvalidError)
        self.assertEqual((error.status, error.code, error.attempts), (400, "URL_INVALID", 1))
        self.assertIn("is not a microblog URL", str(error))
        self.assertIn(error.request_id or "?", str(error))

    def test_400_of_a_service_that_does_not_exist(self) -> None:
        client = self.customer.client()
        self.refusal(lambda: client.resolve(VIDEO, service="nothing"), ServiceUnsupportedError)

    def test_402(self) -> None:
        ask = partial(self.customer.client().resolve, CHANNEL, max_results=11)
        self.assertEqual(self.refusal(ask, InsufficientCreditsError).status, 402)

    def test_422_of_a_post_that_is_gone(self) -> None:
        client = self.customer.client()
        self.assertEqual(
            self.refusal(lambda: client.resolve(DELETED), MediaNotFoundError).status, 422
        )

    def test_422_of_a_platform_that_refuses(self) -> None:
        self.customer.meets(answer(422, "UPSTREAM_REJECTED"))
        self.refusal(lambda: self.customer.client().resolve(VIDEO), UpstreamRejectedError)

    def test_429_that_no_wait_mends(self) -> None:
        for message in (
            "Too many repetitions with this Idempotency-Key today.",
            "Too many attempts with this Idempotency-Key today. Use another one.",
        ):
            with self.subTest(message):
                self.customer = new_customer()
                self.customer.meets(answer(429, "RATE_LIMITED", message=message, Retry_After="1"))
                self.refusal(lambda: self.customer.client().resolve(VIDEO), RateLimitedError)

    def test_a_redirect_which_would_carry_the_key_elsewhere(self) -> None:
        elsewhere = {"location": "http://127.0.0.1:9/"}
        self.customer.meets(fault("answers", status=307, headers=elsewhere, body=""))
        error = self.refusal(lambda: self.customer.client().resolve(VIDEO), ApiError)
        self.assertEqual((error.status, error.code), (307, "UNKNOWN"))


class KeyTest(ServiceTest):
    def test_401_is_sent_once_and_does_not_show_the_key(self) -> None:
        stranger = Customer("none", self.customer.key[:-1] + "x")
        error = self.refusal(lambda: stranger.client().resolve(VIDEO), ApiKeyInvalidError)
        self.assertEqual(error.status, 401)
        self.assertNotIn(stranger.key, f"{error} {error!r} {vars(error)}")
        self.assertNotIn(stranger.key, repr(stranger.client()))


class RetryTest(ServiceTest):
    """A retry never pays twice."""

    def resolve_after(self, *faults: Fault, timeout: float = 130, attempts_max: int = 6) -> float:
        """Returns how long the call took, in seconds."""
        self.customer.meets(*faults)
        began = time.monotonic()
        client = self.customer.client(timeout=timeout, attempts_max=attempts_max)
        found = client.resolve(VIDEO)
        took = time.monotonic() - began
        self.assertEqual(found.attempts, len(faults) + 1)
        self.assertEqual(found.post.credits_used, 1)
        self.assert_requests(self.customer, len(faults) + 1)
        self.assert_paid(self.customer, credits=1, times=1)
        return took

    def test_502_and_504(self) -> None:
        self.resolve_after(
            answer(502, "UPSTREAM_ERROR"),
            answer(504, "UPSTREAM_TIMEOUT"),
            answer(502, "UPSTREAM_INVALID_RESPONSE"),
        )

    def test_502_of_something_between(self) -> None:
        html = {"content-type": "text/html"}
        self.resolve_after(fault("answers", status=502, headers=html, body="<h1>Bad gateway</h1>"))

    def test_502_with_a_least_wait(self) -> None:
        took = self.resolve_after(answer(502, "UPSTREAM_ERROR", Retry_After="1"))
        self.assertGreaterEqual(took, 1)

    def test_429_waits_for_the_reset(self) -> None:
        took = self.resolve_after(answer(429, "RATE_LIMITED", Retry_After="2"))
        self.assertGreaterEqual(took, 2)

    def test_429_waits_for_the_reset_of_the_rate_limit_header(self) -> None:
        took = self.resolve_after(answer(429, "RATE_LIMITED", RateLimit='"default";r=0;t=2;q=120'))
        self.assertGreaterEqual(took, 2)

    def test_429_is_no_attempt(self) -> None:
        limited = answer(429, "RATE_LIMITED", Retry_After="0")
        self.resolve_after(limited, limited, attempts_max=1)

    def test_a_connection_that_is_lost_before_the_service_worked(self) -> None:
        self.resolve_after(fault("drops before"))

    def test_a_connection_that_is_lost_after_the_service_worked(self) -> None:
        self.resolve_after(fault("drops after"), fault("drops after"))

    def test_an_answer_that_is_cut_off(self) -> None:
        self.resolve_after(fault("cuts"))

    def test_an_answer_in_place_of_the_services(self) -> None:
        for body in ("<html>log in</html>", "[]", '{"ok":true}', "[" * 100_000):
            with self.subTest(body[:20]):
                self.customer = new_customer()
                self.resolve_after(fault("answers", status=200, headers={}, body=body))

    def test_an_attempt_that_takes_too_long(self) -> None:
        self.resolve_after(fault("is late", ms=3_000), timeout=1.5)

    def test_an_answer_that_trickles(self) -> None:
        self.resolve_after(fault("trickles", ms=100), timeout=1.5)

    def test_a_head_that_trickles(self) -> None:
        self.resolve_after(fault("trickles the head", ms=50), timeout=1.5)

    def test_a_request_that_is_still_under_way(self) -> None:
        delay_platform(2_500)
        try:
            self.customer.meets(fault("drops at once"))
            found = self.customer.client().resolve(VIDEO)
        finally:
            delay_platform(0)
        # The first was dropped, and at least one was told to wait for it.
        self.assertGreaterEqual(found.attempts, 3)
        self.assertTrue(found.is_replay)
        self.assert_requests(self.customer, found.attempts)
        self.assert_paid(self.customer, credits=1, times=1)

    def test_gives_up_after_the_last_attempt_and_a_new_call_pays_once(self) -> None:
        self.customer.meets(fault("drops after"), fault("drops after"))
        with self.assertRaises(ConnectionError) as caught:
            self.customer.client(attempts_max=2).resolve(VIDEO)
        error = caught.exception
        self.assertEqual(error.attempts, 2)
        self.assert_paid(self.customer, credits=1, times=1)
        again = self.customer.client().resolve(VIDEO, idempotency_key=error.idempotency_key)
        self.assertTrue(again.is_replay)
        self.assertEqual(again.credits.charged, 0)
        self.assert_paid(self.customer, credits=1, times=1)

    def test_every_retried_code_ends_as_its_own_error(self) -> None:
        for status, code, kind in (
            (502, "UPSTREAM_ERROR", UpstreamError),
            (502, "UPSTREAM_INVALID_RESPONSE", UpstreamInvalidResponseError),
            (504, "UPSTREAM_TIMEOUT", UpstreamTimeoutError),
        ):
            with self.subTest(code):
                customer = new_customer()
                customer.meets(answer(status, code), answer(status, code))
                client = customer.client(attempts_max=2)
                self.assertEqual(self.refusal(partial(client.resolve, VIDEO), kind).attempts, 2)
                self.assert_requests(customer, 2)
                self.assert_paid(customer, credits=0, times=0)


class DeadlineTest(ServiceTest):
    def ends_within(self, seconds: float, kind: type[PublicMediaError], client: Client) -> None:
        began = time.monotonic()
        with self.assertRaises(kind) as caught:
            client.resolve(VIDEO)
        self.assertLess(time.monotonic() - began, seconds)
        self.assertIsNotNone(caught.exception.idempotency_key)

    def test_ends_an_answer_that_is_late(self) -> None:
        self.customer.meets(fault("is late", ms=20_000))
        self.ends_within(2, DeadlineError, self.customer.client(deadline=1))

    def test_ends_an_answer_that_trickles_with_a_byte_each_50_ms(self) -> None:
        self.customer.meets(fault("trickles", ms=50))
        self.ends_within(2, DeadlineError, self.customer.client(deadline=1))

    def test_ends_a_head_that_trickles(self) -> None:
        self.customer.meets(fault("trickles the head", ms=20))
        self.ends_within(2, DeadlineError, self.customer.client(deadline=1))

    def test_is_no_reason_to_begin_a_wait_that_would_pass_it(self) -> None:
        self.customer.spends(120)
        self.ends_within(1.5, RateLimitedError, self.customer.client(deadline=0.9))
        self.assert_requests(self.customer, 1)
        self.assert_paid(self.customer, credits=0, times=0)

    def test_has_the_error_before_as_its_cause(self) -> None:
        self.customer.meets(answer(502, "UPSTREAM_ERROR"), fault("is late", ms=20_000))
        with self.assertRaises(DeadlineError) as caught:
            self.customer.client(deadline=2).resolve(VIDEO)
        self.assertIsInstance(caught.exception.__cause__, UpstreamError)
        self.assertEqual(caught.exception.attempts, 2)


class ManyTest(ServiceTest):
    def test_yields_every_outcome_and_counts_what_was_charged(self) -> None:
        urls = [VIDEO, DELETED, "https://example.org/", CHANNEL, VIDEO]
        told: list[int] = []
        outcomes = list(
            self.customer.client().resolve_many(
                urls,
                max_results=2,
                concurrency=3,
                on_progress=lambda p: told.append(p.credits_charged),
            )
        )
        by_index = sorted(outcomes, key=lambda one: one.index)
        self.assertEqual([one.url for one in by_index], urls)
        self.assertEqual([one.ok for one in by_index], [True, False, False, True, True])
        self.assertIsInstance(by_index[1].error, MediaNotFoundError)
        self.assertIsInstance(by_index[2].error, UnrecognizedUrlError)
        self.assertEqual(told[-1], 4)
        self.assert_paid(self.customer, credits=4, times=3)

    def test_survives_faults_without_paying_twice(self) -> None:
        kinds = ["drops after", "cuts", "drops before", "passes"]
        self.customer.meets(*(fault(kind) for kind in kinds * 3))
        outcomes = list(self.customer.client().resolve_many([VIDEO] * 8, max_results=1))
        self.assertEqual([one.error for one in outcomes], [None] * 8)
        self.assert_paid(self.customer, credits=8, times=8)

    def test_stops_within_a_second_when_the_consumer_leaves(self) -> None:
        late = fault("is late", ms=20_000)
        self.customer.meets(fault("passes"), late, late, late)
        threads = threading.active_count()
        for one in self.customer.client().resolve_many([VIDEO] * 50, concurrency=4):
            self.assertTrue(one.ok)
            left = time.monotonic()
            break
        self.assertLess(time.monotonic() - left, 1)
        self.assertEqual(threading.active_count(), threads)
        # Four were begun, and one more may have been when the first was done.
        self.assertLessEqual(len(self.customer.standing()["seen"]), 5)


if __name__ == "__main__":
    unittest.main()
