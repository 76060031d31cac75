"""A server on this machine that says exactly what a test wants."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

#: Gets the head of a request, and answers on its connection.
Handler = Callable[[str, socket.socket], None]


class Loopback:
    """Serves each connection once, in a thread of its own."""

    def __init__(self, handler: Handler, tls: ssl.SSLContext | None = None) -> None:
        self._handler = handler
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        #: The heads of all requests.
        self.heads: list[str] = []
        Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with suppress(OSError), plain:
            plain.settimeout(10)
            if self._tls is None:
                self._answer(plain)
                return
            with self._tls.wrap_socket(plain, server_side=True) as connection:
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            received = connection.recv(65_536)
            if not received:
                return
            head += received
        text, _, body = head.decode("latin-1").partition("\r\n\r\n")
        length = re.search(r"(?im)^content-length: (\d+)", text)
        missing = (0 if length is None else int(length[1])) - len(body)
        # A connection that is closed with something unread is reset, and the answer may be lost.
        while missing > 0:
            missing -= len(connection.recv(missing))
        self.heads.append(text)
        self._handler(text, connection)


def reply(status: int, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer. The value "none" leaves a header out."""
    names = {"content-length": str(len(body)), "connection": "close"}
    names.update({name.replace("_", "-"): value for name, value in headers.items()})
    lines = "".join(f"{name}: {value}\r\n" for name, value in names.items() if value != "none")
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode("latin-1") + body
