"""Events of a task that runs: its progress, and its result or error; over HTTP, those of an import."""

import asyncio
import json
from collections.abc import AsyncGenerator
from itertools import count
from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from barcodesvc.api.event_stream import EVENT_PAUSE, Progress, event, events, wants_events
from barcodesvc.app import make_app
from barcodesvc.clock import Clock
from barcodesvc.config import Settings
from barcodesvc.errors import InvalidFileFormat
from tests.api.imported import IMPORT, MANY
from tests.forms import form_data
from tests.workbooks import xlsx


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream;charset=utf-8", True),
        ("application/json, text/event-stream;q=0.5", True),
        ("text/event-stream; q=0.0", False),
        ("text/event-stream;charset=utf-8;q=0", False),
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


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("query", [{"mode": "update"}, {"dry_run": "true"}])
async def test_an_import_reports_its_progress(aiohttp_client: Any, settings: Settings, query: dict[str, str]) -> None:
    """The counts grow, and the last event has the data of the plain response (the clock advances at each reading)."""
    seconds = count(1_700_000_000)
    ticking = Clock(wall=lambda: float(next(seconds)), steady=lambda: float(next(seconds)))
    client = await aiohttp_client(make_app(settings, ticking))
    form = form_data(xlsx([*MANY, (None, "x")]))
    response = await client.post(IMPORT, data=form, headers={"Accept": "text/event-stream"}, params=query)
    assert (response.content_type, response.headers["Cache-Control"]) == ("text/event-stream", "no-store")
    *progress, (last, result) = [_read(sent) for sent in (await response.read()).split(b"\n\n")[:-1]]
    assert (last, {kind for kind, _ in progress}) == ("result", {"progress"})
    for field in ("rows_read", "imported", "skipped", "errors"):
        counts = [data[field] for _, data in progress]
        assert counts == sorted(counts)
    assert ("updated" in progress[0][1]) == ("mode" in query)
    assert (result["imported"], result["errors_count"], "preview" in result) == (1200, 1, "dry_run" in query)
