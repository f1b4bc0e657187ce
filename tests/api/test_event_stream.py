import asyncio
import json
from collections.abc import AsyncGenerator
from itertools import count
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.event_stream import EVENT_PAUSE, Progress, event, events, wants_events
from barcodesvc.errors import InvalidFileFormat


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream;charset=utf-8", True),
        ("application/json, text/event-stream;q=0.5", True),
        ("text/event-stream; q=0.0", False),
        ("text/event-stream;q=0", False),
        ("text/event-stream;charset=utf-8;q=0", False),
        ("text/event-stream;q=2", False),
        ("text/*, */*", False),
        ("application/json", False),
        ("", False),
    ],
)
def test_only_those_who_name_it_get_a_stream(accept: str, wanted: bool) -> None:  # noqa: FBT001 - what is expected
    """A client that accepts anything gets the plain response."""
    assert wants_events(make_mocked_request("POST", "/", headers={"Accept": accept})) is wanted


def test_an_event_is_two_lines_and_a_blank_one() -> None:
    """Line breaks in the data are escaped, so that it stays one line."""
    assert event("progress", {"text": "a\nb\r"}) == b'event: progress\ndata: {"text":"a\\nb\\r"}\n\n'


def _stream(running: asyncio.Future[Any], progress: Progress, ticks: float) -> AsyncGenerator[bytes]:
    times = count(0.0, ticks)
    return events(running, progress, lambda: next(times), lambda result: result)


def _read(sent: bytes) -> tuple[str, Any]:
    kind, data, *_ = sent.decode().splitlines()
    return kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))


async def test_the_newest_state_is_reported_and_then_the_result() -> None:
    """A slow reader misses states in between, but not the result."""
    running, progress = asyncio.get_running_loop().create_future(), Progress()
    stream = _stream(running, progress, EVENT_PAUSE)
    for state in range(1000):
        progress.report({"state": state})
    assert _read(await anext(stream)) == ("progress", {"state": 999})
    progress.report({"state": 1000})
    assert _read(await anext(stream)) == ("progress", {"state": 1000})
    running.set_result([1])
    assert [_read(sent) async for sent in stream] == [("result", [1])]


async def test_states_that_come_too_soon_are_not_reported(until: Any) -> None:
    """Within the pause nothing is sent, although the state was read."""
    running, progress = asyncio.get_running_loop().create_future(), Progress()
    looks: list[float] = []

    def standing() -> float:
        looks.append(0.0)
        return 0.0

    stream = events(running, progress, standing, lambda result: result)
    progress.report({"state": 1})
    assert _read(await anext(stream)) == ("progress", {"state": 1})
    before = len(looks)
    coming = asyncio.ensure_future(anext(stream))
    progress.report(2)
    await until(lambda: len(looks) > before)
    running.set_result(None)
    assert _read(await coming) == ("result", None)


async def test_a_failure_before_the_first_event_is_raised() -> None:
    """Nothing has been sent, so that it can become an envelope with its status."""
    running, progress = asyncio.get_running_loop().create_future(), Progress()
    running.set_exception(InvalidFileFormat("no workbook"))
    with pytest.raises(InvalidFileFormat):
        await anext(_stream(running, progress, 1.0))


@pytest.mark.parametrize(
    ("failure", "code", "message"),
    [
        (InvalidFileFormat("cut short"), "INVALID_FILE_FORMAT", "cut short"),
        (KeyError("secret"), "DATABASE_ERROR", "the service failed; the log says why"),
    ],
)
async def test_a_failure_after_it_is_the_last_event(
    failure: Exception, code: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is sent as its envelope; unexpected failures are only logged."""
    running, progress = asyncio.get_running_loop().create_future(), Progress()
    stream = _stream(running, progress, 1.0)
    progress.report({"state": 1})
    await anext(stream)
    running.set_exception(failure)
    [(kind, reply)] = [_read(sent) async for sent in stream]
    assert (kind, reply["code"], reply["message"]) == ("error", code, message)
    assert ("secret" in caplog.text) == isinstance(failure, KeyError)
