"""The part of a file that has come so far, and what is needed to go on with it later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import BinaryIO

from .exchange import LostConnectionError, Reply
from .shape import ShapeError, read_json

_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,15})-[0-9]{1,15}/(?:([0-9]{1,15})|\*)")


class PartFile:
    """`path.part`, and beside it `path.part.json`: what the server calls this state of the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f"{path.name}.part")
        self._notes = path.with_name(f"{path.name}.part.json")
        self._validator, self._expected_size = self._read_notes()

    @property
    def size(self) -> int:
        """How many bytes can be kept, if the server still has the same file."""
        if self._validator is None or not self._part.exists():
            return 0
        return self.size_now()

    def size_now(self) -> int:
        return self._part.stat().st_size

    def range_headers(self) -> dict[str, str]:
        """Asks for the rest, and for the whole if the file has changed since."""
        if self.size == 0 or self._validator is None:
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": self._validator}

    def begin(self, reply: Reply) -> None:
        """The reply has the whole file."""
        self._part.write_bytes(b"")
        self._validator = _validator_of(reply)
        self._expected_size = reply.declared_length()
        notes = {"validator": self._validator, "size": self._expected_size}
        self._notes.write_text(json.dumps(notes), "utf-8")

    def go_on(self, reply: Reply) -> None:
        """The reply has the rest. If it does not fit, drops the part and raises an error."""
        found = _CONTENT_RANGE.fullmatch(reply.headers.get("content-range", ""))
        start, size = (None, None) if found is None else found.groups()
        is_next = start is not None and int(start) == self.size > 0
        is_same = size is None or self._expected_size in (None, int(size))
        if is_next and is_same:
            self._expected_size = self._expected_size if size is None else int(size)
            return
        self.drop()
        raise LostConnectionError("the server sent another part than the missing one")

    def opened(self) -> BinaryIO:
        return self._part.open("ab")

    def check_whole(self) -> None:
        size = self.size_now()
        if size == 0:
            raise LostConnectionError("the file is empty")
        if self._expected_size not in (None, size):
            if size > (self._expected_size or 0):
                self.drop()
            raise LostConnectionError(f"{size} of {self._expected_size} bytes came")

    def move_into_place(self) -> int:
        """Returns the size in bytes."""
        size = self.size_now()
        self._part.replace(self._path)
        self._notes.unlink(missing_ok=True)
        return size

    def drop(self) -> None:
        self._part.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)
        self._validator = None
        self._expected_size = None

    def _read_notes(self) -> tuple[str | None, int | None]:
        """Without readable notes, nothing can be kept."""
        try:
            notes = read_json(self._notes.read_bytes())
            return notes.text_or_none("validator"), notes.integer_or_none("size")
        except (OSError, ShapeError):
            return None, None


def _validator_of(reply: Reply) -> str | None:
    """For `If-Range`: a strong entity tag, else the date of the last change (RFC 9110, 13.1.5)."""
    tag = reply.headers.get("etag", "")
    if tag.startswith('"'):
        return tag
    return reply.headers.get("last-modified")
