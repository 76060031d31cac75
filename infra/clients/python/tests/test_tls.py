"""The client over TLS, as hosts that this machine plays."""

from __future__ import annotations

import json
import socket
import ssl
import tempfile
import time
import unittest
from contextlib import ExitStack
from pathlib import Path

from public_media import (
    Client,
    ConnectionError,
    DeadlineError,
    DownloadError,
    MediaItem,
)

from certificate import play
from loopback import Handler, Loopback, reply

API = "api.example.com"
OTHER = "other.example.com"
VIDEO_HOST = "v16.tiktokcdn.com"
POST = {
    "ok": True,
    "service": "microblog",
    "source_url": "https://x.com/u/status/1",
    "item_count": 1,
    "items": [{"type": "image", "url": "https://pbs.twimg.com/a.jpg"}],
    "metadata": {"title": None, "author": "u", "caption": None},
    "request_id": "01a1fc0d-aedf-765a-bcda-c8e545d61d29",
    "credits_used": 1,
    "later_field": [],
}


class TlsTest(unittest.TestCase):
    def setUp(self) -> None:
        stack = ExitStack()
        self.addCleanup(stack.close)
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        self.ports: dict[str, int] = {}
        self.tls = play(stack, self.ports, API, VIDEO_HOST, "pbs.twimg.com")

    def serve(self, handler: Handler, tls: ssl.SSLContext | None) -> Loopback:
        server = Loopback(handler, tls)
        self.addCleanup(server.stop)
        return server

    def client(self, server: Loopback, host: str = API, *, deadline: float = 5) -> Client:
        self.ports[host] = server.port
        base_url = f"https://{host}/" if host == API else f"https://{host}:{server.port}"
        return Client(api_key="svc_live_secret", base_url=base_url, deadline=deadline)

    def resolve(self, client: Client) -> int:
        return client.resolve("https://x.com/u/status/1").attempts


class ResolveTest(TlsTest):
    def test_gets_an_answer(self) -> None:
        body = json.dumps(POST).encode()
        server = self.serve(lambda _, connection: connection.sendall(reply(200, body)), self.tls)
        answer = self.client(server).resolve("https://x.com/u/status/1")
        self.assertEqual(answer.post.items, (MediaItem("image", "https://pbs.twimg.com/a.jpg"),))
        self.assertEqual((answer.credits.charged, answer.credits.available), (1, None))
        self.assertIsNone(answer.rate_limit)
        (head,) = server.heads
        self.assertTrue(head.startswith("POST /v1/resolve HTTP/1.1\r\n"))
        self.assertIn(f"Host: {API}\r\n", head)
        self.assertIn("Authorization: Bearer svc_live_secret", head)
        self.assertIn(f"Idempotency-Key: {answer.idempotency_key}", head)

    def test_ends_an_answer_that_trickles_at_the_deadline(self) -> None:
        def trickle(_head: str, connection: socket.socket) -> None:
            connection.sendall(reply(200, content_length="10000"))
            for _ in range(200):
                connection.sendall(b"x")
                time.sleep(0.05)

        server = self.serve(trickle, self.tls)
        began = time.monotonic()
        with self.assertRaises(DeadlineError):
            self.resolve(self.client(server, deadline=0.7))
        self.assertLess(time.monotonic() - began, 1.5)

    def test_ends_a_handshake_that_never_comes_at_the_deadline(self) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        self.ports[API] = listening.getsockname()[1]
        client = Client(api_key="svc_live_secret", base_url=f"https://{API}", deadline=0.5)
        began = time.monotonic()
        with self.assertRaises(DeadlineError):
            self.resolve(client)
        self.assertLess(time.monotonic() - began, 1.5)

    def test_sends_nothing_to_a_server_with_another_hosts_certificate(self) -> None:
        server = self.serve(lambda _, connection: connection.sendall(reply(200)), self.tls)
        with self.assertRaisesRegex(ConnectionError, "certificate: Hostname mismatch") as caught:
            self.resolve(self.client(server, OTHER))
        self.assertEqual(caught.exception.attempts, 1)
        self.assertEqual(server.heads, [])

    def test_sends_nothing_without_tls(self) -> None:
        server = self.serve(lambda _, connection: connection.sendall(reply(200)), None)
        with self.assertRaises((ConnectionError, DeadlineError)):
            self.resolve(self.client(server, deadline=1))
        self.assertNotIn("secret", "".join(server.heads))


class DownloadTest(TlsTest):
    def download(self, server: Loopback, host: str) -> int:
        self.ports[host] = server.port
        item = MediaItem("video", f"https://{host}/a?x-expires=1800000000")
        client = Client(api_key="svc_live_secret", base_url="https://api.example.com")
        return client.download(item, self.folder / "a.mp4").size

    def wanting_a_referer(self) -> Loopback:
        def answer(head: str, connection: socket.socket) -> None:
            known = "Referer: https://www.tiktok.com/" in head
            connection.sendall(reply(200 if known else 403, b"abc", content_type="video/mp4"))

        return self.serve(answer, self.tls)

    def test_sends_a_referer_once_after_a_403(self) -> None:
        server = self.wanting_a_referer()
        self.assertEqual(self.download(server, VIDEO_HOST), 3)
        self.assertEqual(["Referer" in head for head in server.heads], [False, True])

    def test_sends_no_referer_to_a_platform_that_refuses_it(self) -> None:
        server = self.wanting_a_referer()
        with self.assertRaisesRegex(DownloadError, "pbs.twimg.com answers 403$"):
            self.download(server, "pbs.twimg.com")
        self.assertEqual(["Referer" in head for head in server.heads], [False])

    def test_says_until_when_a_refused_url_was_valid(self) -> None:
        server = self.serve(lambda _, connection: connection.sendall(reply(403)), self.tls)
        with self.assertRaisesRegex(DownloadError, "valid until 2027-01-15 08:00 UTC") as caught:
            self.download(server, VIDEO_HOST)
        self.assertEqual(caught.exception.status, 403)
        self.assertEqual(len(server.heads), 2)


if __name__ == "__main__":
    unittest.main()
