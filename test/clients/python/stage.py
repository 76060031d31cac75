"""Directs the stage: the whole service, and a proxy before it that breaks what it is told to."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TypedDict, cast
from urllib.request import Request, urlopen

from public_media import Client

Fault = dict[str, object]


class Seen(TypedDict):
    """A request as the proxy saw it."""

    idempotencyKey: str | None
    body: str
    fault: str
    atMs: int


class Standing(TypedDict):
    """An account when none of its requests is under way."""

    available: int
    held: int
    charged: int
    #: How many records of its ledger have a charge.
    paid: int
    seen: list[Seen]


@dataclass(frozen=True)
class Customer:
    """An account with 20 credits."""

    account: str
    key: str

    def client(
        self, *, timeout: float = 130, deadline: float = 150, attempts_max: int = 6
    ) -> Client:
        return Client(
            api_key=self.key,
            base_url=os.environ["PUBLIC_MEDIA_BASE_URL"],
            timeout=timeout,
            deadline=deadline,
            attempts_max=attempts_max,
        )

    def meets(self, *faults: Fault) -> None:
        """What happens to the next requests, in order. Later ones pass."""
        _tell("plan", key=self.key, faults=faults)

    def spends(self, requests: int) -> None:
        _tell("spend", key=self.key, requests=requests)

    def standing(self) -> Standing:
        return cast("Standing", _tell("look", account=self.account, key=self.key))


def new_customer() -> Customer:
    return Customer(**cast("dict[str, str]", _tell("open")))


def delay_platform(ms: int) -> None:
    _tell("delay", ms=ms)


def fault(kind: str, **details: object) -> Fault:
    return {"kind": kind, **details}


def answer(status: int, code: str, *, message: str = "No.", **headers: str) -> Fault:
    """An answer in place of the service's."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"error": True, "code": code, "message": message, "request_id": "r"}
    return fault("answers", status=status, headers=names, body=json.dumps(body))


def _tell(command: str, **body: object) -> object:
    url = f"{os.environ['PUBLIC_MEDIA_STAGE']}/{command}"
    with urlopen(Request(url, json.dumps(body).encode()), timeout=60) as reply:
        value: object = json.load(reply)
    return value
