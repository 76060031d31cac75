"""Sockets on which nothing lasts longer than its limit.

The time-out of Python's own sockets begins anew with each byte that arrives, so a server that
trickles could hold a caller for ever. Here one limit covers the look-up of the name, the
connection, and everything that is read.
"""

from __future__ import annotations

import selectors
import socket
import ssl
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from .time_limit import TimeLimit, TimeOverError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# For one address: a host may have several, of which some do not answer.
_CONNECT_SECONDS = 10.0

_Address = tuple[socket.AddressFamily, tuple[object, ...]]
_T = TypeVar("_T")


class LimitedSocket(socket.socket):
    """Waits for data as long as its limit says."""

    limit: TimeLimit

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        return _patiently(
            self,
            self.limit,
            lambda: super(LimitedSocket, self).recv_into(buffer, nbytes or 0, flags),
        )


class LimitedTlsSocket(ssl.SSLSocket):
    """The same under TLS."""

    limit: TimeLimit

    def recv_into(self, buffer: WriteableBuffer, nbytes: int | None = None, flags: int = 0) -> int:
        return _patiently(
            self, self.limit, lambda: super(LimitedTlsSocket, self).recv_into(buffer, nbytes, flags)
        )


def tls_context() -> ssl.SSLContext:
    """Checks certificates against those that the machine trusts, or `SSL_CERT_FILE`."""
    context = ssl.create_default_context()
    context.sslsocket_class = LimitedTlsSocket
    return context


def open_socket(
    host: str, port: int, tls: ssl.SSLContext | None, limit: TimeLimit
) -> LimitedSocket | LimitedTlsSocket:
    """Raises OSError if there is no connection; TimeOverError or StoppedError by the limit."""
    plain = _connect_to_any(_look_up(host, port, limit), limit)
    if tls is None:
        return plain
    try:
        secured = tls.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)
    except BaseException:
        plain.close()
        raise
    if not isinstance(secured, LimitedTlsSocket):
        raise TypeError("the context makes other sockets")
    try:
        secured.limit = limit
        _patiently(secured, limit, secured.do_handshake)
    except BaseException:
        secured.close()
        raise
    return secured


def _patiently(opened: socket.socket, limit: TimeLimit, operation: Callable[[], _T]) -> _T:
    while True:
        opened.settimeout(limit.tick())
        try:
            return operation()
        except TimeoutError:
            continue


def _look_up(host: str, port: int, limit: TimeLimit) -> list[_Address]:
    """In a thread: the system's look-up has no time limit of its own."""
    done: SimpleQueue[list[_Address] | OSError] = SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            done.put([(family, address) for family, _, _, _, address in found])
        except (OSError, UnicodeError) as error:
            done.put(error if isinstance(error, OSError) else OSError(str(error)))

    Thread(target=look_up, daemon=True).start()
    while True:
        try:
            result = done.get(timeout=limit.tick())
        except Empty:
            continue
        if isinstance(result, OSError):
            raise result
        return result


def _connect_to_any(addresses: list[_Address], limit: TimeLimit) -> LimitedSocket:
    failure = OSError("the host has no address")
    for family, address in addresses:
        limit.tick()
        try:
            return _connect(family, address, limit)
        except TimeOverError:
            failure = OSError("the host does not answer")
        except OSError as error:
            failure = error
    limit.tick()
    raise failure


def _connect(
    family: socket.AddressFamily, address: tuple[object, ...], limit: TimeLimit
) -> LimitedSocket:
    opened = LimitedSocket(family, socket.SOCK_STREAM)
    try:
        opened.limit = limit
        opened.setblocking(False)
        opened.connect_ex(address)
        _await_writable(opened, limit.part(_CONNECT_SECONDS))
        failure = opened.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if failure != 0:
            raise OSError(failure, "cannot connect")
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        opened.close()
        raise
    return opened


def _await_writable(opened: socket.socket, limit: TimeLimit) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(opened, selectors.EVENT_WRITE)
        while not selector.select(limit.tick()):
            pass
