"""A certificate for hosts that a test plays on this machine."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int]]


#: The local port of each host.
Ports = dict[str, int]


def play(stack: ExitStack, ports: Ports, *hosts: str) -> ssl.SSLContext:
    """Lets these hosts be this machine, and be trusted, until the stack is closed.

    Any other host is this machine too, at the port that is asked for. Skips the test where there is
    no `openssl`.
    """

    def look_up(host: str, port: int, *_more: object, **_options: object) -> list[Address]:
        is_known = host in hosts
        address = ("127.0.0.1", ports[host] if is_known else port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)]

    openssl = shutil.which("openssl")
    if openssl is None:
        raise unittest.SkipTest("openssl is not installed")
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    names = ",".join(f"DNS:{host}" for host in hosts)
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-nodes", "-days", "2", "-subj", "/CN=test", "-addext", f"subjectAltName={names}"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    stack.enter_context(patch.dict(os.environ, SSL_CERT_FILE=str(certificate)))
    stack.enter_context(patch("socket.getaddrinfo", look_up))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
