"""Runs the README's samples as they stand there. Media servers are played on this machine."""

from __future__ import annotations

import os
import re
import tempfile
import unittest
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from certificate import play
from loopback import Loopback, reply
from stage import new_customer

README = Path(__file__).parents[3] / "infra/clients/python/README.md"
MEDIA_HOST = "pbs.twimg.com"


class ReadmeTest(unittest.TestCase):
    def test_shows_samples_that_print_what_stands_below_them(self) -> None:
        page = README.read_text("utf-8")
        samples = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", page, re.M | re.S)
        # Every sample has an output, so that none can be left out here.
        self.assertEqual(len(samples), page.count("```python"))
        self.assertGreater(len(samples), 3)
        with ExitStack() as stack:
            self.prepare(stack)
            names: dict[str, object] = {}
            for code, expected in samples:
                printed = StringIO()
                with redirect_stdout(printed):
                    exec(compile(code, str(README), "exec"), names)
                # Outcomes of several posts come as they finish.
                self.assertEqual(
                    sorted(printed.getvalue().splitlines()), sorted(expected.splitlines())
                )

    def prepare(self, stack: ExitStack) -> None:
        ports: dict[str, int] = {}
        tls = play(stack, ports, MEDIA_HOST)
        photo = reply(200, b"sample data", content_type="image/jpeg")
        server = Loopback(lambda _, connection: connection.sendall(photo), tls)
        stack.callback(server.stop)
        ports[MEDIA_HOST] = server.port
        stack.enter_context(patch.dict(os.environ, PUBLIC_MEDIA_API_KEY=new_customer().key))
        stack.callback(os.chdir, Path.cwd())
        os.chdir(stack.enter_context(tempfile.TemporaryDirectory()))


if __name__ == "__main__":
    unittest.main()
