from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from barcodesvc.errors import StartError
from barcodesvc.runtime.temporary_folder import PREFIX, temporary_folder

HOLDER = """
import sys, tempfile
from barcodesvc.errors import StartError
from barcodesvc.runtime.temporary_folder import temporary_folder
with temporary_folder():
    open(tempfile.gettempdir() + "/left-over", "w").close()
    print(tempfile.gettempdir(), flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which temporary files lie, one of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@contextmanager
def _holder() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run another process that has a folder of its own, with a file in it."""
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - fixed text
        assert process.stdout
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_temporary_files_lie_in_a_folder_of_their_own(parent: Path) -> None:
    """Those of this process and of its children; at the end the folder is gone, and all is as it was."""
    with temporary_folder():
        folder = Path(tempfile.gettempdir())
        assert (folder.parent, folder.name.startswith(PREFIX), os.environ["TMPDIR"]) == (parent, True, str(folder))
        with tempfile.NamedTemporaryFile(delete=False) as file:
            assert Path(file.name).parent == folder
    assert (list(parent.iterdir()), tempfile.gettempdir(), os.environ["TMPDIR"]) == ([], str(parent), str(parent))


def test_an_environment_without_the_variable_stays_so(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TMPDIR is set inside only."""
    monkeypatch.delenv("TMPDIR")
    with temporary_folder():
        assert Path(os.environ["TMPDIR"]).parent == parent
    assert "TMPDIR" not in os.environ


def test_what_a_killed_process_left_is_removed(parent: Path) -> None:
    """The next one to start removes its folder with all that lies in it."""
    with _holder() as (process, folder):
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (folder.parent, (folder / "left-over").exists()) == (parent, True)
        with temporary_folder():
            assert not folder.exists()


def test_what_a_living_process_has_is_left_alone(parent: Path) -> None:
    """Several services on one machine do not take each other's files away."""
    with _holder() as (_, folder):
        with temporary_folder():
            assert (folder / "left-over").exists()
        assert [found.name for found in parent.iterdir()] == [folder.name]


def test_what_is_not_ours_is_left_alone(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what a link of the name points to, nor a file, nor another user's folder is touched."""
    elsewhere = parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (parent / f"{PREFIX}link").symlink_to(elsewhere)
    (parent / f"{PREFIX}file").touch()
    before = sorted(parent.rglob("*"))
    with temporary_folder():
        pass
    assert sorted(parent.rglob("*")) == before
    (parent / f"{PREFIX}theirs").mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: -1)
        with temporary_folder():
            assert (parent / f"{PREFIX}theirs").exists()


def test_a_folder_that_is_taken_away_before_it_is_locked_is_made_again(
    parent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process that starts at the same moment may take it for abandoned; then the next one is locked."""
    real, made = tempfile.mkdtemp, []

    def taken_away(**named: str) -> str:
        made.append(folder := real(**named))
        if len(made) == 1:
            Path(folder).rmdir()
        return folder

    def taken_while_locking(_: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX and len(made) == 2:
            Path(made[1]).rmdir()

    monkeypatch.setattr(tempfile, "mkdtemp", taken_away)
    monkeypatch.setattr(fcntl, "flock", taken_while_locking)
    with temporary_folder():
        assert [str(found) for found in parent.iterdir()] == [made[2]] == [tempfile.gettempdir()]


def test_without_a_place_files_lie_where_they_would(
    parent: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk keeps no service from starting; the log says so."""
    nowhere = str(parent / "nowhere")
    monkeypatch.setattr(tempfile, "tempdir", nowhere)
    with temporary_folder():
        assert tempfile.gettempdir() == nowhere
    assert [record.getMessage() for record in caplog.records] == ["no folder for temporary files could be made"]


def test_a_place_can_be_named(parent: Path) -> None:
    """Files lie there, as those of a killed process that had the same place did."""
    named = parent / "named"
    named.mkdir()
    with temporary_folder(named):
        assert Path(tempfile.gettempdir()).parent == named
    assert list(named.iterdir()) == []


def test_a_named_place_that_takes_no_files_stops_the_start(parent: Path) -> None:
    """Who names one wants it: the message says which, and why it does not do."""
    message = f"no temporary files can lie in {parent}/nowhere: No such file"
    with pytest.raises(StartError, match=message), temporary_folder(parent / "nowhere"):
        pass
