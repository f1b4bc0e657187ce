"""File permissions of a database: only its owner may read it, and so the secret of the web app's sessions."""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.store.sqlite.backup import back_up
from barcodesvc.store.sqlite.database import open_database
from tests.store.sqlite.copied import NOON, add, made, restore_from

OWNER_ALONE = 0o600


@pytest.fixture(autouse=True, params=[0o022, 0o000], ids=["usual umask", "no umask"])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let the process create files that others may read, and with the second value change, by default."""
    before = os.umask(request.param)
    yield
    os.umask(before)


def _permissions(*files: Path) -> set[int]:
    return {file.stat().st_mode & 0o777 for file in files}


@pytest.mark.parametrize("linked", [False, True], ids=["a file", "a link"])
async def test_the_database_and_its_log_are_their_owner_s(
    database_file: Path,
    tmp_path: Path,
    linked: bool,  # noqa: FBT001 - a case
) -> None:
    """From their creation on, even if a link leads to a file that does not exist yet."""
    path = tmp_path / "link.db" if linked else database_file
    if linked:
        path.symlink_to(database_file)
    async with open_database(path) as database:
        await add(database, "A")
        files = sorted(tmp_path.glob(f"{database_file.name}*"))
        assert [file.name for file in files] == ["test.db", "test.db-shm", "test.db-wal"]
        assert _permissions(*files) == {OWNER_ALONE}
    assert _permissions(database_file) == {OWNER_ALONE}


def test_what_is_made_of_a_database_is_its_owner_s(
    database_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new or replaced backup, a restored database and a copy contain the same secret, even if others could read."""
    asyncio.run(made(database_file, "A"))
    database_file.chmod(0o644)
    backup, replaced, restored, copy = (tmp_path / name for name in ("new.db", "replaced.db", "restored.db", "copy.db"))
    replaced.touch(mode=0o666)
    for target in (backup, replaced):
        back_up(database_file, target, overwrite=True, now=NOON)
    restore_from(database_file, restored)
    assert main(["copy", str(database_file), str(copy)]) == 0, capsys.readouterr().err
    assert _permissions(backup, replaced, restored, copy) == {OWNER_ALONE}


@pytest.mark.parametrize(("mode", "then"), [(0o644, 0o600), (0o640, 0o640)], ids=oct)
def test_a_copy_or_a_restore_into_a_file_that_every_user_may_read_makes_it_its_owner_s(
    database_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: int, then: int
) -> None:
    """Permissions of a group, which an administrator has chosen, stay."""
    asyncio.run(made(database_file, "A"))
    copied, restored = tmp_path / "copied.db", tmp_path / "restored.db"
    for target in (copied, restored):
        target.touch()
        target.chmod(mode)
    assert main(["copy", str(database_file), str(copied)]) == 0, capsys.readouterr().err
    restore_from(database_file, restored)
    assert _permissions(copied, restored) == {then}


@pytest.mark.parametrize(("mode", "then"), [(0o666, 0o600), (0o444, 0o400), (0o640, 0o640)], ids=oct)
async def test_a_database_that_every_user_may_read_becomes_its_owner_s(
    database_file: Path, tmp_path: Path, mode: int, then: int
) -> None:
    """An earlier release created it; group permissions were chosen on purpose, and are kept."""
    await made(database_file, "A")
    log = tmp_path / f"{database_file.name}-wal"
    log.touch()
    log.chmod(mode)
    database_file.chmod(mode)
    async with open_database(database_file) as database:
        await add(database, "B")
        assert _permissions(database_file, log) == {then}


def _text(path: Path) -> None:
    path.write_bytes(b"root:x:0:0:root:/root:/bin/sh\n")


def _database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (name TEXT)")


@pytest.mark.parametrize("make", [_text, _database, Path.mkdir], ids=["text", "database", "folder"])
def test_what_belongs_to_another_program_keeps_its_permissions(
    database_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], None]
) -> None:
    """A wrong name in BARCODESVC_DATABASE, or of a copy, changes nothing: other programs must still read it."""
    asyncio.run(made(database_file, "A"))
    foreign = tmp_path / "foreign"
    make(foreign)
    foreign.chmod(0o755)
    content = foreign.is_file() and foreign.read_bytes()
    assert main(["copy", str(database_file), str(foreign)]) != 0
    assert str(foreign) in capsys.readouterr().err
    assert main(["--database", str(foreign), "--port", "0"]) != 0
    assert "in BARCODESVC_DATABASE" in capsys.readouterr().err
    assert (_permissions(foreign), foreign.is_file() and foreign.read_bytes()) == ({0o755}, content)


async def test_a_database_whose_permissions_cannot_be_changed_is_reported(
    database_file: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log says what its owner has to run."""
    await made(database_file, "A")
    database_file.chmod(0o644)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    with caplog.at_level(logging.WARNING, "barcodesvc"), monkeypatch.context() as patch:
        patch.setattr(os, "chmod", refused)
        await made(database_file)
    [message] = caplog.messages
    assert message.startswith(f"every user of this machine may read {database_file}, ")
    assert message.endswith(f"run: chmod 600 {database_file}*")
