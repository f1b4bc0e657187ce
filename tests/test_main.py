"""`main` within one process: its status, its messages, and its event loop."""

import asyncio
import gc
import http.client
import os
import runpy
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from barcodesvc import __main__ as main_module
from barcodesvc.__main__ import main
from barcodesvc.store.sqlite.database import open_database
from barcodesvc.store.sqlite.startup import only_service
from tests.served import RUNNING, WAIT


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[pytest.MonkeyPatch]:
    """Return a function that sets variables for a `main` in the test process, and undo its changes there."""
    interval = sys.getswitchinterval()
    monkeypatch.setenv("BARCODESVC_DATABASE", str(tmp_path / "shop.db"))
    monkeypatch.setenv("BARCODESVC_PORT", "0")
    yield monkeypatch
    sys.setswitchinterval(interval)


def test_the_status_is_that_of_the_process(environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Run as a program, the module ends with the return value of `main`."""
    environment.setattr(sys, "argv", ["barcodesvc"])
    environment.setenv("BARCODESVC_PORT", "many")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(main_module.__file__), run_name="__main__")
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("barcodesvc cannot start:\nBARCODESVC_PORT: ")


@pytest.mark.usefixtures("environment")
def test_a_database_that_is_served_stops_the_start(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Two services would print labels twice; the message names the file."""
    file = tmp_path / "shop.db"
    with only_service(file):
        assert main() == 2
    message = "is served by another process, and SQLite allows one; stop that, or name another file"
    said = f"barcodesvc cannot start:\nthe database {file} {message} in BARCODESVC_DATABASE\n"
    assert capsys.readouterr().err.endswith(said)


def test_a_port_that_is_taken_stops_the_start(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The message has address and port, and no database is created, or migrated under a service that runs."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        environment.setenv("BARCODESVC_PORT", str(port))
        assert main() == 2
    errors = capsys.readouterr().err
    assert errors.startswith(f"barcodesvc cannot start:\ncannot listen on 127.0.0.1:{port}: ")
    assert "address already in use" in errors
    assert not (tmp_path / "shop.db").exists()


def test_a_host_that_is_not_here_stops_the_start(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The service cannot listen on another machine's address."""
    environment.setenv("BARCODESVC_HOST", "192.0.2.1")
    assert main() == 2
    assert "cannot listen on 192.0.2.1: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE schema_version SET version = 99", "schema version 99"),
        ("CREATE TABLE other (x)", "belongs to another program"),
    ],
)
@pytest.mark.usefixtures("environment")
def test_a_database_that_is_not_ours_stops_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str, problem: str
) -> None:
    """A newer database, or another program's, stops the start and is unchanged."""
    path = tmp_path / "shop.db"
    if statement.startswith("UPDATE"):
        asyncio.run(_made(path))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    before = _dump(path)
    assert main() == 2
    assert problem in capsys.readouterr().err
    assert _dump(path) == before


async def _made(path: Path) -> None:
    async with open_database(path):
        pass


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.fixture
def garbage_collection() -> Iterator[None]:
    """Restore the garbage collector's settings."""
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.enable()
    gc.unfreeze()


@pytest.mark.usefixtures("garbage_collection")
@pytest.mark.parametrize("uvloop", [True, False])
@pytest.mark.parametrize("access_log", ["true", "false"])
def test_main_serves_until_a_signal(
    environment: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    uvloop: bool,  # noqa: FBT001 - a parameter of the test
    access_log: str,
) -> None:
    """With uvloop or without, `main` returns 0 after a signal, and the access log is written only if it is enabled."""
    environment.setenv("BARCODESVC_ACCESS_LOG", access_log)
    if not uvloop:
        environment.setitem(sys.modules, "uvloop", None)
    ask = threading.Thread(target=_ask_and_end, args=(capfd,))
    ask.start()
    assert main() == 0
    ask.join()
    assert ('"route":"/health","status":200' in capfd.readouterr().out) is (access_log == "true")
    assert sys.getswitchinterval() == pytest.approx(main_module.SWITCH_INTERVAL)
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == main_module.GARBAGE_THRESHOLDS


def _ask_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    """Wait until the service listens, send it a request, and send this process the signal that it waits for."""
    output = ""
    while not (started := RUNNING.search(output)):
        output += capsys.readouterr().out
        threading.Event().wait(0.01)
    with closing(http.client.HTTPConnection("127.0.0.1", int(started[2]), timeout=WAIT)) as connection:
        connection.request("GET", "/health")
        connection.getresponse().read()
    os.kill(os.getpid(), signal.SIGTERM)
