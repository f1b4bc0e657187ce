"""What a Chromium sent and received, from its NetLog: of every page, frame and worker, down to the bytes of sockets.

The log is a JSON file, one event on each line, that grows while the browser runs; an incomplete line, and the text
around the events, is ignored.
"""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NO_PAGE = "not an origin"
_KINDS = ("URL_REQUEST_START_JOB", "SOCKET_BYTES_RECEIVED", "SOCKET_BYTES_SENT")
_TYPE = re.compile(r'"type":([0-9]+)\}')


@dataclass(frozen=True, slots=True)
class Request:
    """One request; `initiator` is the origin of the page or worker that made it, "" for the browser's own requests.

    The browser itself requests a typed address, and so what `driver.get` opens.
    """

    method: str
    url: str
    initiator: str


@dataclass(frozen=True, slots=True)
class NetLog:
    """All requests of a browser in order, and the bytes that went over its sockets, heads included."""

    requests: tuple[Request, ...]
    received: int
    sent: int


def read_net_log(path: Path, begin: int = 0) -> NetLog:
    """Return what has been logged so far, from a position in the file on."""
    with path.open(encoding="utf-8", errors="replace") as file:
        numbers = json.loads(_closed(file.readline()))["logEventTypes"]
        kinds = {numbers[name]: name for name in _KINDS}
        file.seek(max(begin, file.tell()))
        events = [(kinds[event["type"]], event.get("params") or {}) for event in _events(file, kinds)]
    return NetLog(
        tuple(_request(told) for kind, told in events if kind == "URL_REQUEST_START_JOB" and "url" in told),
        _bytes(events, "SOCKET_BYTES_RECEIVED"),
        _bytes(events, "SOCKET_BYTES_SENT"),
    )


def _closed(first_line: str) -> str:
    """Return the object of constants, which begins the file: `{"constants": …,`."""
    return first_line.strip().removeprefix('{"constants":').removesuffix(",")


def _events(lines: Iterator[str], kinds: Collection[int]) -> Iterator[dict[str, Any]]:
    """Parse the events of these kinds alone: they are one in ten."""
    for line in lines:
        last = line.rfind('"type":')
        found = _TYPE.match(line, last) if last >= 0 else None
        if found is None or int(found[1]) not in kinds:
            continue
        with suppress(ValueError):  # an incomplete line
            yield json.loads(line.strip().removesuffix("]}").removesuffix("],").removesuffix(","))


def _request(told: dict[str, Any]) -> Request:
    initiator = told.get("initiator", _NO_PAGE)
    return Request(told["method"], told["url"], "" if initiator == _NO_PAGE else initiator)


def _bytes(events: list[tuple[str, dict[str, Any]]], kind: str) -> int:
    return sum(int(told.get("byte_count", 0)) for named, told in events if named == kind)
