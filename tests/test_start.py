"""What stops a start, as `barcodesvc check` says before, and what a start does and needs."""

import gc
import http.client
import json
import os
import runpy
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from barcodesvc import __main__ as main_module, configuration_check
from barcodesvc.__main__ import main
from barcodesvc.commands import Finding
from barcodesvc.config import Settings
from barcodesvc.configuration_check import findings
from barcodesvc.store.engines import open_database
from barcodesvc.store.migrations import scripts_of
from barcodesvc.store.sqlite.startup import only_service
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.served import MODULE, RUNNING, WAIT, Service
from tests.servers.valkey import program, running_valkey

HEAVY = {"PIL", "barcode", "borb", "openpyxl", "segno", "uharfbuzz", "xlrd", "zxingcpp"}
"""Libraries that are slow to load or use much memory, and that no start needs."""
MOST_RESIDENT = 70 * 2**20
"""Memory of the service and its children in bytes right after the start."""
AT_THE_START = "import json, sys, barcodesvc.__main__; print(json.dumps(list(sys.modules)))"


@pytest.fixture
def file(migrated_file: Path, tmp_path: Path) -> Path:
    """Return a database of this release, in a folder that has nothing else."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "shop.db").write_bytes(migrated_file.read_bytes())
    return folder / "shop.db"


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, file: Path) -> Iterator[pytest.MonkeyPatch]:
    """Return what sets variables for a `main` in the test process, and undo its changes there."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    monkeypatch.setenv("BARCODESVC_DATABASE", str(file))
    monkeypatch.setenv("BARCODESVC_PORT", "0")
    yield monkeypatch
    sys.setswitchinterval(interval)
    gc.set_threshold(*thresholds)
    gc.enable()
    gc.unfreeze()


def _of_version(number: int) -> Callable[[Path], object]:
    return lambda file: run_sql(file, f"UPDATE schema_version SET version = {number}")  # noqa: S608 - a number


def _removed_with_a_log(file: Path) -> None:
    file.rename(file.with_name("shop.db-wal"))


def _with_a_foreign_table(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE others (id INTEGER)")


def _overwritten(file: Path) -> None:
    file.write_bytes(b"no database at all" * 100)


def _as_it_is(_: Path) -> None:
    pass


@dataclass(frozen=True)
class Wrong:
    """What is wrong: variables or a changed database, with the subject of the finding and what it says."""

    subject: str
    message: str
    variables: dict[str, str] = field(default_factory=dict)
    change: Callable[[Path], object] = _as_it_is


WRONG = {
    "another machine's address": Wrong("address", "cannot listen on 192.0.2.1: ", {"HOST": "192.0.2.1"}),
    "a missing folder": Wrong("database", "in the folder /nowhere: No such file", {"DATABASE": "/nowhere/x.db"}),
    "a log without its database": Wrong("database", "put the file back", change=_removed_with_a_log),
    "a newer release": Wrong("database", "schema version 99", change=_of_version(99)),
    "before the first release": Wrong("database", "download /api/products/export", change=_of_version(17)),
    "another program": Wrong("database", "belongs to another program", change=_with_a_foreign_table),
    "no database": Wrong("database", "file is not a database", change=_overwritten),
    "no temporary folder": Wrong("temporary files", "in BARCODESVC_TEMPORARY_FOLDER", {"TEMPORARY_FOLDER": "/nowhere"}),
    "no certificate": Wrong("HTTPS", "are not a certificate", {"TLS_CERT": __file__, "TLS_KEY": __file__}),
    "no font": Wrong("label font", "font", {"LABEL_FONT": __file__}),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_stops_a_start_is_found_by_a_check(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: Path, wrong: Wrong
) -> None:
    """Both say why; a check changes nothing, and a refused start no database."""
    wrong.change(file)
    for name, value in wrong.variables.items():
        environment.setenv(f"BARCODESVC_{name}", value)
    before = _contents(file.parent)
    assert main(["check"]) == 2
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WRONG")]
    assert (line.startswith(f"WRONG  {wrong.subject}: "), wrong.message in line) == (True, True)
    assert _contents(file.parent) == before
    assert main() == 2
    errors = capsys.readouterr().err
    assert ("barcodesvc cannot start:\n" in errors, wrong.message in errors) == (True, True)
    (file.parent / ".shop.db-lock").unlink(missing_ok=True)
    assert _contents(file.parent) == before


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


RIGHT: dict[str, tuple[Callable[[Path], object], str]] = {
    "of this release": (_as_it_is, "is a database of this release"),
    "missing": (Path.unlink, "does not exist; the start creates it"),
    "empty": (lambda file: file.write_bytes(b""), "is empty; the start creates its tables"),
    "of an older release": (_of_version(max(scripts_of("sqlite")) - 1), "the start migrates it, so back it up first"),
}


@pytest.mark.parametrize(("change", "message"), RIGHT.values(), ids=RIGHT)
async def test_a_check_says_what_a_start_will_do_to_the_database(
    file: Path, change: Callable[[Path], object], message: str
) -> None:
    """It does none of that itself."""
    change(file)
    before = _contents(file.parent)
    finding = await _found("database", database=file)
    assert (finding.is_right, message in finding.message) == (True, True)
    assert _contents(file.parent) == before


async def _found(subject: str, **settings: object) -> Finding:
    [finding] = [each for each in await findings(Settings(**settings)) if each.subject == subject]  # type: ignore[arg-type]
    return finding


@pytest.mark.each_engine
async def test_a_database_of_this_release_is_right(place: Place) -> None:
    """On either engine."""
    finding = await _found("database", database=place)
    assert (finding.is_right, finding.message.endswith("is a database of this release")) == (True, True)


@pytest.mark.parametrize(("kind", "is_right"), [("nfs4", False), ("fuse.sshfs", False), ("ext4", True)])
async def test_a_database_on_a_network_file_system_is_wrong(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kind: str, *, is_right: bool
) -> None:
    """SQLite may damage it there, so the check names the file system, and a start warns."""
    mounts = [SimpleNamespace(mountpoint=at, fstype=found) for at, found in (("/", "nfs"), (str(file.parent), kind))]
    monkeypatch.setattr("psutil.disk_partitions", lambda **_: mounts)
    finding = await _found("database", database=file)
    assert (finding.is_right, f"network file system ({kind})" in finding.message) == (is_right, not is_right)
    async with open_database(file):
        assert (f"({kind})" in caplog.text) is not is_right


async def test_a_web_app_that_lacks_files_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service would start, and serve the API alone."""
    assert await _found("web app") == Finding("web app", "complete")
    monkeypatch.setattr(configuration_check, "PAGE_FOLDER", tmp_path)
    finding = await _found("web app")
    assert (finding.is_right, "run scripts/setup" in finding.message) == (False, True)


async def test_a_store_of_limits_is_asked() -> None:
    """One that does not answer is wrong, though the service would start without it."""
    if program() is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    with running_valkey() as server:
        assert (await _found("rate limit store", rate_limit_store=server.address)).is_right
    away = await _found("rate limit store", rate_limit_store=server.address)
    assert (away.is_right, "does not answer" in away.message) == (False, True)


@pytest.mark.usefixtures("environment")
def test_a_check_prints_a_line_for_each_subject(capsys: pytest.CaptureFixture[str]) -> None:
    """Its status is 0 if all are right."""
    assert main(["check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["ok     settings: valid", "ok     address: 127.0.0.1:0 is free"]
    assert [line[:5] for line in lines] == ["ok   "] * 9


def test_the_status_is_that_of_the_process(environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Run as a program, the module ends with the return value of `main`."""
    environment.setattr(sys, "argv", ["barcodesvc"])
    environment.setenv("BARCODESVC_PORT", "many")
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(main_module.__file__), run_name="__main__")
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("barcodesvc cannot start:\nBARCODESVC_PORT: ")


@pytest.mark.usefixtures("environment")
def test_a_database_that_is_served_stops_the_start(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    """Two services would print labels twice; the message names the file."""
    with only_service(file):
        assert main() == 2
    message = "is served by another process, and SQLite allows one; stop that, or name another file"
    said = f"barcodesvc cannot start:\nthe database {file} {message} in BARCODESVC_DATABASE\n"
    assert capsys.readouterr().err.endswith(said)


def test_a_port_that_is_taken_stops_the_start(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    """No database is made, or migrated under a service that runs; to a check it is right."""
    file.unlink()
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        environment.setenv("BARCODESVC_PORT", str(port))
        assert main() == 2
        assert main(["check"]) == 0
    output, errors = capsys.readouterr()
    assert f"cannot start:\ncannot listen on 127.0.0.1:{port}: " in errors
    assert "address already in use" in errors
    assert f"ok     address: 127.0.0.1:{port} is in use, by the running service or by another" in output
    assert not file.exists()


@pytest.mark.parametrize(("uvloop", "access_log"), [(True, "true"), (False, "false")])
def test_main_serves_until_a_signal(
    environment: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], file: Path, access_log: str, *, uvloop: bool
) -> None:
    """With uvloop or without, `main` returns 0 after a signal, with the database closed and the access log written."""
    environment.setenv("BARCODESVC_ACCESS_LOG", access_log)
    if not uvloop:
        environment.setitem(sys.modules, "uvloop", None)
    ask = threading.Thread(target=_ask_and_end, args=(capfd,))
    ask.start()
    assert main() == 0
    ask.join()
    assert ('"route":"/health","status":200' in capfd.readouterr().out) is (access_log == "true")
    assert not file.with_name("shop.db-wal").exists()
    assert sys.getswitchinterval() == pytest.approx(main_module.SWITCH_INTERVAL)


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


def test_a_start_loads_nothing_that_few_requests_need() -> None:
    """The libraries of codes, labels, spreadsheets and images are loaded by the first request that needs them."""
    ran = subprocess.run([sys.executable, "-c", AT_THE_START], capture_output=True, text=True, check=True)  # noqa: S603 - above
    modules = set(json.loads(ran.stdout))
    assert "barcodesvc.app" in modules
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()
    assert not any(module.startswith("barcodesvc.printers.") for module in modules)


def test_a_service_that_has_done_nothing_takes_little_memory(tmp_path: Path) -> None:
    """It fits on a small machine with other services; a request loads what it needs beyond that."""
    with Service(tmp_path, *MODULE) as service:
        process = psutil.Process(service.process.pid)
        resident = sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    assert resident <= MOST_RESIDENT
