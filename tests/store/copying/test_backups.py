"""Backups and their way back on both engines: by the commands, and on a server by the lines that they print."""

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress
from tests.direct_sql import run_sql
from tests.engines import Place
from tests.servers.postgres import programs
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import OPEN_JOBS, content, filled, jobs_in, written

OWNER = "barcodesvc test owner"
RESTORED = "it was restored from a backup, and may be printed already"
DOUBTED = [("in_doubt", 0, 2, RESTORED), ("in_doubt", 1, 1, RESTORED), ("printed", 2, 0, "")]
ROLE = """
    DO $$ BEGIN
        CREATE ROLE "barcodesvc test owner" LOGIN;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END $$
"""


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the shell line that a command prints instead of doing the work."""
    capsys.readouterr()
    assert main(arguments) == 2
    said, line = capsys.readouterr().err.splitlines()
    assert said.startswith("PostgreSQL ")
    assert "s3cret" not in line
    return line


def run(line: str) -> None:
    """Run a line in a shell with PostgreSQL's programs in its path."""
    folder = programs()
    if folder is None or not (folder / "pg_restore").exists():
        pytest.skip("pg_dump and pg_restore are not installed")
    path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(line, shell=True, env=path, check=False, capture_output=True, text=True)  # noqa: S602 - what is printed is for a shell
    assert (done.returncode, done.stderr) == (0, "")


def owned(place: Place) -> ServerAddress:
    """Make a role without other rights the owner of a database, and return its address for that role."""
    assert isinstance(place, ServerAddress)
    run_sql(place, ROLE, f'ALTER DATABASE "{urlsplit(place.url).path[1:]}" OWNER TO "{OWNER}"')
    host = urlsplit(place.url).netloc.rpartition("@")[2]
    return ServerAddress(urlsplit(place.url)._replace(netloc=f"{OWNER.replace(' ', '%20')}:s3cret@{host}").geturl())


def but_open_jobs(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of a database without what a restore changes: the jobs of OPEN_JOBS, and the last job's id."""
    jobs = [job for job in found["print_jobs"] if job[0] not in range(2, 5)]
    return {**found, "given": [each for each in found["given"] if each[0] != "print_jobs"], "print_jobs": jobs}


def back_up(place: Place, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Back a database up: a file by the command, and one on a server by the line that the command prints."""
    if isinstance(place, Path):
        assert main(["backup", str(copy)]) == 0
    else:
        run(printed(capsys, "backup", str(copy)))


def restore(place: Place, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Restore it in the same way."""
    if isinstance(place, Path):
        assert main(["restore", str(copy)]) == 0
    else:
        run(printed(capsys, "restore", str(copy)))


@pytest.fixture(params=["file", "superuser", "owner"])
def place(request: pytest.FixtureRequest, new_place: NewPlace, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return the configured database, filled: a file, or one on a server that the role administers or owns."""
    made = new_place("sqlite" if request.param == "file" else "postgres")
    if request.param == "owner":
        made = owned(made)
    filled(made)
    monkeypatch.setenv("BARCODESVC_DATABASE", written(made))
    run_sql(made, *OPEN_JOBS)
    return made


def test_a_backup_and_its_way_back(place: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All is as before, but jobs that were not over are in doubt, and no job gets the id of one since the backup."""
    before, copy = content(place), tmp_path / "it's a $copy.dump"
    back_up(place, copy, capsys)
    run_sql(place, "DELETE FROM products", "DROP TABLE ended_sessions")
    restore(place, copy, capsys)
    after = content(place)
    assert but_open_jobs(after) == but_open_jobs(before)
    assert jobs_in(place) == DOUBTED
    assert dict(after["given"])["print_jobs"] > time.time() - 3600


def test_a_backup_is_restored_into_a_new_database(
    place: Place,
    new_place: NewPlace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The new database contains nothing to drop, and the index for searches is there."""
    target, copy = new_place("sqlite" if isinstance(place, Path) else "postgres"), tmp_path / "copy.dump"
    back_up(place, copy, capsys)
    monkeypatch.setenv("BARCODESVC_DATABASE", written(target))
    restore(target, copy, capsys)
    assert but_open_jobs(content(target)) == but_open_jobs(content(place))
    if not isinstance(target, Path):
        assert ("products_by_trigrams",) in run_sql(target, "SELECT indexname FROM pg_indexes")


@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_a_copied_file_prints_no_job_by_itself(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup may be served as it is; one that was made without `backup` does not say that its jobs are in doubt."""
    shutil.copy(place, tmp_path / "plain.db")
    back_up(place, tmp_path / "backup.db", capsys)
    assert jobs_in(tmp_path / "backup.db") == DOUBTED
    restore(place, tmp_path / "plain.db", capsys)
    assert jobs_in(place) == DOUBTED
    assert dict(content(place)["given"])["print_jobs"] > time.time() - 3600


def test_the_lines_stand_in_the_documentation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are quoted there as they are printed."""
    page = Path(__file__).parents[3].joinpath("docs", "backups.md").read_text("utf-8")
    monkeypatch.setenv("BARCODESVC_DATABASE", "postgresql://shop:s3cret@db.example.net/shop")
    for command in ("backup", "restore"):
        assert f"\n{printed(capsys, command, 'shop.dump')}\n" in page
