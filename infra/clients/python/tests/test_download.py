"""Downloads, from a media server on this machine."""

from __future__ import annotations

import re
import socket
import tempfile
import unittest
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import sleep
from unittest.mock import patch

from public_media import Client, Download, DownloadError, MediaItem, MediaType

from loopback import Loopback, reply

FILE = bytes(range(256)) * 1_000
KEY = "svc_live_secret"
TAG = '"v1"'


class Media:
    """Serves a file, with ranges. `cut_after` ends each answer early."""

    def __init__(self) -> None:
        self.file = FILE
        self.tag = TAG
        self.content_type = "image/jpeg"
        self.cut_after: list[int] = []

    def __call__(self, head: str, connection: socket.socket) -> None:
        body = self._answer(head)
        cut = self.cut_after.pop(0) if self.cut_after else None
        connection.sendall(body if cut is None else body[: body.index(b"\r\n\r\n") + 4 + cut])

    def _answer(self, head: str) -> bytes:
        common = {"content_type": self.content_type, "etag": self.tag}
        start = re.search(r"(?im)^range: bytes=(\d+)-", head)
        condition = re.search(r"(?im)^if-range: (\S+)", head)
        if start is None or condition is None or condition[1] != self.tag:
            return reply(200, self.file, **common)
        at, size = int(start[1]), len(self.file)
        if at >= size:
            return reply(416, content_range=f"bytes */{size}")
        content_range = f"bytes {at}-{size - 1}/{size}"
        return reply(206, self.file[at:], content_range=content_range, **common)


class DownloadTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "media.jpg"
        self.part = Path(folder.name) / "media.jpg.part"
        self.media = Media()
        self.server = self.serve(self.media)
        # No test waits between attempts.
        no_jitter = patch("random.random", return_value=0.0)
        no_jitter.start()
        self.addCleanup(no_jitter.stop)

    def serve(self, handler: Callable[[str, socket.socket], None]) -> Loopback:
        server = Loopback(handler)
        self.addCleanup(server.stop)
        return server

    def says(self, answer: bytes) -> Loopback:
        self.server = self.serve(lambda _head, connection: connection.sendall(answer))
        return self.server

    def download(
        self,
        url: str | None = None,
        *,
        kind: MediaType = "image",
        attempts_max: int = 3,
        deadline: float = 10.0,
        base_url: str = "http://127.0.0.1:1",
    ) -> Download:
        client = Client(api_key=KEY, base_url=base_url, attempts_max=attempts_max)
        item = MediaItem(kind, url or f"{self.server.url}/a.jpg?oe=6A49B9DA&signature=abc")
        return client.download(item, self.path, deadline=deadline)

    def assert_left(self, *, names: list[str]) -> None:
        self.assertEqual(sorted(one.name for one in self.path.parent.iterdir()), names)

    def assert_fails(
        self, message: str, call: Callable[[], Download] | None = None
    ) -> DownloadError:
        with self.assertRaisesRegex(DownloadError, message) as caught:
            (call or self.download)()
        self.assertNotIn("signature", f"{caught.exception!r}")
        self.assertFalse(self.path.exists())
        return caught.exception


class WholeTest(DownloadTest):
    def test_puts_the_file_into_place_in_place_of_another(self) -> None:
        self.path.write_bytes(b"old")
        done = self.download()
        self.assertEqual(done, Download(self.path, len(FILE), "image/jpeg", False))
        self.assertEqual(self.path.read_bytes(), FILE)
        self.assert_left(names=["media.jpg"])

    def test_sends_no_key_no_cookie_and_no_referer(self) -> None:
        self.download()
        (head,) = self.server.heads
        names = {line.partition(":")[0].lower() for line in head.splitlines()[1:]}
        expected = {"host", "user-agent", "accept", "accept-encoding", "connection"}
        self.assertEqual(names, expected)
        self.assertNotIn(KEY, head)

    def test_takes_an_answer_in_chunks_which_says_no_length(self) -> None:
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(one), one) for one in (b"abc", b"defg", b""))
        self.says(
            reply(200, content_length="none", transfer_encoding="chunked", content_type="image/png")
            + chunks
        )
        self.assertEqual(self.download().size, 7)

    def test_takes_a_type_that_says_nothing(self) -> None:
        self.says(reply(200, b"abc", content_type="application/octet-stream"))
        self.assertEqual(self.download(kind="video").content_type, "application/octet-stream")

    def test_takes_sound_that_comes_as_a_film(self) -> None:
        self.says(reply(200, b"abc", content_type="video/mp4"))
        self.assertEqual(self.download(kind="audio").size, 3)


class ResumeTest(DownloadTest):
    def test_gets_the_rest_after_a_lost_connection(self) -> None:
        self.media.cut_after = [100_000, 50_000]
        done = self.download()
        self.assertEqual(self.path.read_bytes(), FILE)
        self.assertTrue(done.resumed)
        self.assertNotIn("Range:", self.server.heads[0])
        self.assertIn("Range: bytes=100000-", self.server.heads[1])
        self.assertIn(f"If-Range: {TAG}", self.server.heads[1])
        self.assertIn("Range: bytes=150000-", self.server.heads[2])

    def test_goes_on_in_a_later_call(self) -> None:
        self.media.cut_after = [1_000, 0]
        self.assert_fails("next call", lambda: self.download(attempts_max=1))
        self.assert_left(names=["media.jpg.part", "media.jpg.part.json"])
        self.assertEqual(self.part.read_bytes(), FILE[:1_000])
        self.assertTrue(self.download().resumed)
        self.assertEqual(self.path.read_bytes(), FILE)
        self.assert_left(names=["media.jpg"])

    def test_begins_anew_when_the_file_has_changed(self) -> None:
        self.media.cut_after = [1_000, 0]
        self.assert_fails("next call", lambda: self.download(attempts_max=1))
        self.media.file, self.media.tag = FILE[::-1], '"v2"'
        self.assertFalse(self.download().resumed)
        self.assertEqual(self.path.read_bytes(), FILE[::-1])

    def test_begins_anew_without_a_name_for_the_state_of_the_file(self) -> None:
        self.media.tag = "W/weak"
        self.media.cut_after = [1_000]
        self.assertFalse(self.download().resumed)
        self.assertEqual(self.path.read_bytes(), FILE)
        self.assertNotIn("Range:", self.server.heads[1])

    def test_ignores_a_part_that_nobody_noted(self) -> None:
        self.part.write_bytes(b"something else")
        self.download()
        self.assertEqual(self.path.read_bytes(), FILE)

    def test_begins_anew_when_the_part_is_longer_than_the_file(self) -> None:
        self.part.write_bytes(FILE + b"x")
        notes = self.part.with_name("media.jpg.part.json")
        notes.write_text('{"validator": "\\"v1\\"", "size": null}')
        self.download()
        self.assertEqual(self.path.read_bytes(), FILE)

    def test_refuses_another_part_than_the_missing_one(self) -> None:
        for content_range in ("bytes 5-9/256000", "bytes 1000-1999/9", "nonsense"):
            with self.subTest(content_range):
                self.media.cut_after = [1_000, 0]
                self.server = self.serve(self.media)
                self.assert_fails("next call", lambda: self.download(attempts_max=1))
                headers = {"content_range": content_range, "content_type": "image/jpeg"}
                self.says(reply(206, FILE[1_000:], **headers))
                self.assert_fails("another part", lambda: self.download(attempts_max=1))
                self.assertFalse(self.part.exists())


class RefusalTest(DownloadTest):
    def test_of_a_file_that_is_never_whole(self) -> None:
        self.media.cut_after = [10] + [0] * 10
        self.assert_fails("next call goes on", lambda: self.download(attempts_max=2))
        self.assertEqual(self.part.read_bytes(), FILE[:10])
        # One that brought something, two that brought nothing.
        self.assertEqual(len(self.server.heads), 3)

    def test_of_another_type_before_anything_is_written(self) -> None:
        self.says(reply(200, b"<html>", content_type="text/html; charset=utf-8"))
        self.assert_fails("sends text/html, not image")
        self.assert_left(names=[])
        self.assertEqual(len(self.server.heads), 1)

    def test_of_an_image_in_place_of_a_video(self) -> None:
        self.assert_fails("sends image/jpeg, not video", lambda: self.download(kind="video"))

    def test_of_a_file_that_is_too_large(self) -> None:
        client = Client(api_key=KEY, base_url="http://127.0.0.1:1")
        item = MediaItem("image", f"{self.server.url}/?signature")
        self.assert_fails(
            "more than 255999 bytes", lambda: client.download(item, self.path, size_max=255_999)
        )
        self.assertLess(self.part.stat().st_size, 256_000)
        self.assertEqual(client.download(item, self.path, size_max=256_000).size, 256_000)

    def test_of_an_empty_file(self) -> None:
        self.says(reply(200, b"", content_type="image/jpeg"))
        self.assert_fails("the file is empty", lambda: self.download(attempts_max=1))

    def test_of_an_encoded_file(self) -> None:
        self.says(reply(200, b"abc", content_type="image/jpeg", content_encoding="gzip"))
        self.assert_fails("another encoding")

    def test_after_404_is_no_reason_to_ask_again(self) -> None:
        self.says(reply(404))
        self.assertEqual(self.assert_fails("answers 404").status, 404)
        self.assertEqual(len(self.server.heads), 1)

    def test_after_503_is_final_only_after_the_last_attempt(self) -> None:
        self.says(reply(503))
        self.assert_fails("answers 503", lambda: self.download(attempts_max=3))
        self.assertEqual(len(self.server.heads), 3)

    def test_of_a_server_that_trickles_comes_at_the_deadline(self) -> None:
        def trickle(_head: str, connection: socket.socket) -> None:
            connection.sendall(reply(200, content_type="image/jpeg", content_length="100000"))
            for _ in range(600):
                connection.sendall(b"x")
                sleep(0.02)

        self.server = self.serve(trickle)
        self.assert_fails("next call", lambda: self.download(deadline=0.5))
        self.assertGreater(self.part.stat().st_size, 3)


class ServerTest(DownloadTest):
    """Which servers are asked."""

    def test_must_be_a_platforms_and_under_https(self) -> None:
        for url, message in (
            ("http://pbs.twimg.com/a.jpg?signature", "must begin with https"),
            ("https://u@pbs.twimg.com/a.jpg?signature", "without user and port"),
            ("https://twimg.com/a.jpg?signature", "twimg.com is not a media server"),
            ("https://evilpbs.twimg.com.example/?signature", "not a media server"),
            ("https://[x/?signature", "must begin with https"),
            ("https://pbs.twimg.com:8443/?signature", "without user and port"),
            ("file:///etc/passwd?signature", "must begin with https"),
            ("https://pbs.twimg.com/a b?signature", "plain ASCII"),
            ("https://pbs.twimg.com/\r\nx: y?signature", "plain ASCII"),
            ("https://169.254.169.254/?signature", "not a media server"),
        ):
            with self.subTest(url):
                self.assert_fails(message, partial(self.download, url))

    def test_may_not_be_this_machine_unless_the_service_is(self) -> None:
        self.assert_fails(
            "must begin with https", lambda: self.download(base_url="https://api.example.com")
        )
        self.assertEqual(self.server.heads, [])

    def test_may_redirect_only_to_another_such_server(self) -> None:
        self.says(reply(302, location="https://example.org/a.jpg?signature"))
        self.assert_fails("example.org is not a media server")

    def test_may_redirect_a_few_times(self) -> None:
        media = self.server
        first = self.says(reply(302, location=f"{media.url}/b.jpg"))
        self.assertEqual(self.download(f"{first.url}/a.jpg").size, len(FILE))

    def test_may_not_redirect_for_ever(self) -> None:
        self.says(reply(302, location="/again?signature"))
        self.assert_fails("redirects more than 5 times")
        self.assertEqual(len(self.server.heads), 6)


if __name__ == "__main__":
    unittest.main()
