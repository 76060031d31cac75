"""Connections, with the system's own functions played where a test cannot wait for them."""

from __future__ import annotations

import socket
import time
import unittest
from threading import Event
from unittest.mock import patch

from public_media import ApiError, Client, ConnectionError, DeadlineError

from loopback import Loopback, reply

URL = "https://x.com/u/status/1"


def client(base_url: str, deadline: float) -> Client:
    return Client(api_key="svc_live_secret", base_url=base_url, deadline=deadline)


class ConnectionTest(unittest.TestCase):
    def fails_within(self, seconds: float, asked: Client, kind: type[Exception]) -> None:
        began = time.monotonic()
        with self.assertRaises(kind):
            asked.resolve(URL)
        self.assertLess(time.monotonic() - began, seconds)

    def test_a_name_that_is_never_found_ends_at_the_deadline(self) -> None:
        given_up = Event()
        self.addCleanup(given_up.set)

        def never(*_arguments: object, **_options: object) -> list[object]:
            given_up.wait(30)
            return []

        with patch("socket.getaddrinfo", never):
            asked = client("https://api.example.com", deadline=0.4)
            self.fails_within(1, asked, DeadlineError)

    def test_a_name_that_does_not_exist_is_tried_again(self) -> None:
        failure = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        with patch("socket.getaddrinfo", side_effect=failure) as asked_for:
            asked = client("https://api.example.com", deadline=10)
            with patch("random.random", return_value=0.0):
                self.fails_within(2, asked, ConnectionError)
        self.assertEqual(asked_for.call_count, 6)

    def test_an_address_that_refuses_is_followed_by_the_next(self) -> None:
        server = Loopback(lambda _, connection: connection.sendall(reply(401)))
        self.addCleanup(server.stop)
        closed = socket.create_server(("127.0.0.1", 0))
        free_port = closed.getsockname()[1]
        closed.close()
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
            for port in (free_port, server.port)
        ]
        with (
            patch("socket.getaddrinfo", return_value=found),
            self.assertRaisesRegex(ApiError, "401"),
        ):
            client("http://localhost", deadline=5).resolve(URL)
        self.assertEqual(len(server.heads), 1)

    def test_a_server_that_never_accepts_ends_at_the_deadline(self) -> None:
        full = socket.create_server(("127.0.0.1", 0), backlog=0)
        self.addCleanup(full.close)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(8)]
        for one in waiting:
            self.addCleanup(one.close)
            one.setblocking(False)
            one.connect_ex(address)
        asked = client(f"http://127.0.0.1:{address[1]}", deadline=0.5)
        self.fails_within(1.5, asked, DeadlineError)

    def test_uses_no_proxy_of_the_environment(self) -> None:
        proxy = Loopback(lambda _, connection: connection.sendall(reply(401)))
        server = Loopback(lambda _, connection: connection.sendall(reply(401)))
        for one in (proxy, server):
            self.addCleanup(one.stop)
        names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy")
        with (
            patch.dict("os.environ", dict.fromkeys(names, proxy.url)),
            self.assertRaises(ApiError),
        ):
            client(server.url, deadline=5).resolve(URL)
        self.assertEqual((len(proxy.heads), len(server.heads)), (0, 1))

    def test_reads_no_more_of_an_answer_than_the_service_sends(self) -> None:
        def endless(_head: str, connection: socket.socket) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b" " * 65_536)

        server = Loopback(endless)
        self.addCleanup(server.stop)
        asked = Client(api_key="svc_live_secret", base_url=server.url, attempts_max=1, deadline=20)
        with self.assertRaisesRegex(ConnectionError, "more than 1048576 bytes"):
            asked.resolve(URL)


if __name__ == "__main__":
    unittest.main()
