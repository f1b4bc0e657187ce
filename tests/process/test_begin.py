"""How the service starts: with bad settings, under a signal, and after one that was killed."""

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.forms import KIND, form, part
from tests.process.in_flight import ENDED_WELL, assert_closed, begin, serving_with
from tests.served import WAIT, Service, StartError

STARTING_FOREVER = serving_with("""
async def hook(_):
    signal.raise_signal(int(sys.argv[1]))
    await asyncio.Event().wait()
""")


def test_a_start_that_is_impossible_ends_with_status_2(start: Callable[..., Service]) -> None:
    """The process gives the reason on standard error, without a traceback."""
    with pytest.raises(StartError) as refused:
        start(port="many", colour="red")
    status, output, errors = refused.value.end
    assert (status, output) == (2, "")
    assert errors.splitlines()[0] == "barcodesvc cannot start:"
    assert {line.partition(":")[0] for line in errors.splitlines()[1:]} == {"BARCODESVC_PORT", "BARCODESVC_COLOUR"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_start_that_takes_long(start: Callable[..., Service], tmp_path: Path, number: int) -> None:
    """A signal before it listens stops it at once, and everything it opened is closed."""
    with pytest.raises(StartError) as ended:
        start(sys.executable, "-c", STARTING_FOREVER, str(int(number)))
    assert ended.value.end == ENDED_WELL
    assert_closed(tmp_path / "shop.db", products=0)


def test_what_a_killed_service_left_behind_is_removed(
    start: Callable[..., Service], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The temporary files of a service that was killed in the middle of an upload are gone when the next one serves."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    service = start()
    body = form(part("file", bytes(1000)))
    with begin(service, "POST", "/api/products/import", body, KIND) as connection:
        connection.sendall(body[:-10])
        before = time.monotonic()
        while not (left := list((tmp_path / "temporary").glob("*/barcodesvc-upload-*"))):
            assert time.monotonic() < before + WAIT
        service.kill()
    assert left[0].exists()
    service = start()
    assert not left[0].exists()
    assert service.stop() == ENDED_WELL
    assert list((tmp_path / "temporary").iterdir()) == []
