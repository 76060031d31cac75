"""Compares what this client says about URLs with what the worker says about them.

Reads lines of JSON from the standard input: the output of `test/clients/print-url-cases.ts`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TypedDict, cast

from public_media import Recognized, UnrecognizedUrlError, recognize


class Accepted(TypedDict):
    service: str
    url: str
    is_short_link: bool


class Case(TypedDict):
    url: str
    accepted: Accepted | None
    #: What each service says that does not accept the URL.
    messages: dict[str, str]
    #: What is wrong with it when no service is asked for.
    message: str | None


PRICES = {"photo-feed-story": 2, "photo-feed-highlight": 2, "messenger-channel": 2}


def main() -> int:
    cases = [cast("Case", json.loads(line)) for line in sys.stdin]
    differences = [text for case in cases for text in differences_of(case)]
    for text in differences[:20]:
        print(text)
    accepted = sum(case["accepted"] is not None for case in cases)
    print(f"{len(cases)} URLs, {accepted} of them accepted, {len(differences)} differences")
    # A comparison without both kinds compares nothing.
    return 1 if differences or not 0 < accepted < len(cases) else 0


def differences_of(case: Case) -> Iterator[str]:
    url, expected = case["url"], expected_of(case)
    alone = case["message"] if expected is None else expected
    if said(url, None) != alone:
        yield f"{url!a}: {said(url, None)}, not {alone}"
    services = [*case["messages"], *([expected.service] if expected else [])]
    if len(services) != 7:
        yield f"{url!a}: the worker's answers are of {len(services)} services"
    for service in services:
        told = case["messages"].get(service, expected)
        if said(url, service) != told:
            yield f"{url!a} as {service}: {said(url, service)}, not {told}"


def expected_of(case: Case) -> Recognized | None:
    found = case["accepted"]
    if found is None:
        return None
    price = PRICES.get(found["service"], 1)
    return Recognized(found["service"], found["url"], price, found["is_short_link"])


def said(url: str, service: str | None) -> Recognized | str:
    try:
        return recognize(url, service)
    except UnrecognizedUrlError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main())
