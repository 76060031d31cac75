"""Reads JSON as the types that it should have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast


class ShapeError(ValueError):
    """A field is missing or has another type. The message names it."""


class Record:
    """An object of JSON. Fields that nobody asks for are ignored: a later service may add some."""

    def __init__(self, value: object, name: str = "the body") -> None:
        if not isinstance(value, dict):
            raise ShapeError(f"{name} is not an object")
        self._fields = cast("Mapping[str, object]", value)

    def text(self, field: str) -> str:
        value = self._fields.get(field)
        if not isinstance(value, str):
            raise ShapeError(f"{field} is not a text")
        return value

    def text_or_none(self, field: str) -> str | None:
        return None if self._fields.get(field) is None else self.text(field)

    def integer(self, field: str) -> int:
        value = self._fields.get(field)
        if not isinstance(value, int) or isinstance(value, bool):
            raise ShapeError(f"{field} is not an integer")
        return value

    def integer_or_none(self, field: str) -> int | None:
        return None if self._fields.get(field) is None else self.integer(field)

    def flag(self, field: str) -> bool:
        value = self._fields.get(field)
        if not isinstance(value, bool):
            raise ShapeError(f"{field} is neither true nor false")
        return value

    def record(self, field: str) -> Record:
        return Record(self._fields.get(field), field)

    def records(self, field: str) -> list[Record]:
        return [Record(value, field) for value in self._list(field)]

    def texts(self, field: str) -> list[str]:
        values = self._list(field)
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values):
            raise ShapeError(f"{field} has something else than texts")
        return texts

    def _list(self, field: str) -> list[object]:
        value = self._fields.get(field)
        if not isinstance(value, list):
            raise ShapeError(f"{field} is not a list")
        return cast("list[object]", value)


def read_json(text: str | bytes) -> Record:
    """Raises ShapeError for what is no object of JSON, also for one that is nested too deeply."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ShapeError("the body is not JSON") from error
    return Record(value)
