"""What the installed package has."""

from __future__ import annotations

import unittest
from importlib.metadata import requires, version
from importlib.resources import files
from pathlib import Path

import public_media

ROOT = Path(__file__).parents[3]
INSTALLED = files("public_media")


class PackageTest(unittest.TestCase):
    def test_is_the_one_that_was_installed(self) -> None:
        self.assertIn("site-packages", str(public_media.__file__))
        self.assertEqual(version("public-media-client"), public_media.VERSION)

    def test_needs_nothing_else(self) -> None:
        self.assertIsNone(requires("public-media-client"))

    def test_says_that_it_is_typed(self) -> None:
        self.assertTrue(INSTALLED.joinpath("py.typed").is_file())

    def test_has_the_services_that_both_clients_share(self) -> None:
        shared = (ROOT / "infra/clients/services.json").read_text("utf-8")
        self.assertEqual(INSTALLED.joinpath("services.json").read_text("utf-8"), shared)


if __name__ == "__main__":
    unittest.main()
