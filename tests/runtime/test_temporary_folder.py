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
from barcodesvc.runtime.temporary_folder import temporary_folder
with temporary_folder():
    open(tempfile.gettempdir() + "/left-over", "w").close()
    print(tempfile.gettempdir(), flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in place of the system's temporary folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@contextmanager
def _holder() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run another process with a temporary folder, and a file in it."""
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - fixed text
        assert process.stdout
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_temporary_files_are_created_in_one_folder(parent: Path) -> None:
    """So are those of child processes; at the end the folder is removed and the settings are restored."""
    with temporary_folder():
        folder = Path(tempfile.gettempdir())
        assert (folder.parent, folder.name.startswith(PREFIX), os.environ["TMPDIR"]) == (parent, True, str(folder))
        with tempfile.NamedTemporaryFile(delete=False) as file:
            assert Path(file.name).parent == folder
    assert (list(parent.iterdir()), tempfile.gettempdir(), os.environ["TMPDIR"]) == ([], str(parent), str(parent))


def test_the_folder_of_a_process_is_removed_when_it_has_ended(parent: Path) -> None:
    """A start keeps the files of other services on the machine, and removes those of one that was killed."""
    with _holder() as (process, folder):
        with temporary_folder():
            assert (folder / "left-over").exists()
        assert list(parent.iterdir()) == [folder]
        process.send_signal(signal.SIGKILL)
        process.wait()
        with temporary_folder():
            assert not folder.exists()


def test_a_folder_with_the_id_of_this_process_is_removed(parent: Path) -> None:
    """A service in a container has the same process id at each start."""
    left = parent / f"{PREFIX}{os.getpid()}-left"
    left.mkdir()
    with temporary_folder():
        assert not left.exists()


def test_other_files_are_left_alone(parent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target of a link, a file, a folder without a process id, and another user's folder."""
    elsewhere, name = parent / "elsewhere", f"{PREFIX}{os.getpid()}-"
    elsewhere.mkdir()
    (elsewhere / "precious").touch()
    (parent / f"{name}link").symlink_to(elsewhere)
    (parent / f"{name}file").touch()
    (parent / f"{PREFIX}shop-photos").mkdir()
    before = sorted(parent.rglob("*"))
    with temporary_folder():
        pass
    assert sorted(parent.rglob("*")) == before
    (parent / f"{name}theirs").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: -1)
    with temporary_folder():
        assert (parent / f"{name}theirs").exists()


def test_a_start_without_a_temporary_folder(
    parent: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk does not prevent a start, unless the folder was set: the log or the refusal names it."""
    nowhere = str(parent / "nowhere")
    monkeypatch.setattr(tempfile, "tempdir", nowhere)
    with temporary_folder():
        assert tempfile.gettempdir() == nowhere
    assert [record.getMessage() for record in caplog.records] == ["no folder for temporary files could be created"]
    message = f"no temporary files can be created in {nowhere}: No such file"
    with pytest.raises(StartError, match=message), temporary_folder(Path(nowhere)):
        pass


def test_the_parent_folder_can_be_set(parent: Path) -> None:
    """The files are created there."""
    named = parent / "named"
    named.mkdir()
    with temporary_folder(named):
        assert Path(tempfile.gettempdir()).parent == named
    assert list(named.iterdir()) == []
