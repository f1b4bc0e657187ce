"""The command lines that `backup` and `restore` print for a database server, executed as printed."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress
from tests.direct_sql import run_sql
from tests.servers.postgres import programs
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import OPEN_JOBS, content, filled, jobs_in

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
    return line


def run(line: str) -> None:
    """Run a line in a shell with PostgreSQL's programs in its path."""
    folder = programs()
    if folder is None or not (folder / "pg_restore").exists():
        pytest.skip("pg_dump and pg_restore are not installed")
    path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(line, shell=True, env=path, check=False, capture_output=True, text=True)  # noqa: S602 - what is printed is for a shell
    assert (done.returncode, done.stderr) == (0, "")


def owned(place: ServerAddress) -> ServerAddress:
    """Make a role without other rights the owner of a database, and return its address for that role."""
    run_sql(place, ROLE, f'ALTER DATABASE "{urlsplit(place.url).path[1:]}" OWNER TO "{OWNER}"')
    host = urlsplit(place.url).netloc.rpartition("@")[2]
    return ServerAddress(urlsplit(place.url)._replace(netloc=f"{OWNER.replace(' ', '%20')}:s3cret@{host}").geturl())


def but_job_ids(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the content of a database without the last id of a print job, which a restore changes."""
    return {**found, "given": [each for each in found["given"] if each[0] != "print_jobs"]}


@pytest.mark.parametrize("role", ["superuser", "owner"])
def test_a_backup_and_its_way_back(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], role: str
) -> None:
    """The two lines, run by a shell, restore the database; neither shows a password."""
    place = new_place("postgres")
    assert isinstance(place, ServerAddress)
    place = owned(place) if role == "owner" else place
    before, copy = content(filled(place)), tmp_path / "it's a $copy.dump"
    monkeypatch.setenv("BARCODESVC_DATABASE", place.url)
    backup, restore = printed(capsys, "backup", str(copy)), printed(capsys, "restore", str(copy))
    assert "s3cret" not in backup + restore
    run(backup)
    run_sql(place, "DELETE FROM products", "DROP TABLE ended_sessions")
    run(restore)
    assert but_job_ids(content(place)) == but_job_ids(before)
    assert ("products_by_trigrams",) in run_sql(place, "SELECT indexname FROM pg_indexes")


def test_a_backup_is_restored_into_a_new_database(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new database contains nothing to drop."""
    source, target, copy = filled(new_place("postgres")), new_place("postgres"), tmp_path / "copy.dump"
    assert isinstance(source, ServerAddress)
    assert isinstance(target, ServerAddress)
    monkeypatch.setenv("BARCODESVC_DATABASE", source.url)
    run(printed(capsys, "backup", str(copy)))
    monkeypatch.setenv("BARCODESVC_DATABASE", target.url)
    run(printed(capsys, "restore", str(copy)))
    assert but_job_ids(content(target)) == but_job_ids(content(source))


def test_a_restored_database_prints_no_job_by_itself(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its jobs that were not over may have been printed since the backup."""
    place, copy = filled(new_place("postgres")), tmp_path / "copy.dump"
    assert isinstance(place, ServerAddress)
    run_sql(place, *OPEN_JOBS)
    monkeypatch.setenv("BARCODESVC_DATABASE", place.url)
    run(printed(capsys, "backup", str(copy)))
    run(printed(capsys, "restore", str(copy)))
    assert jobs_in(place) == DOUBTED


def test_no_print_job_gets_an_id_that_one_since_the_backup_had(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Clients that know the former job by it would take the new one for that."""
    place, copy = filled(new_place("postgres")), tmp_path / "copy.dump"
    assert isinstance(place, ServerAddress)
    monkeypatch.setenv("BARCODESVC_DATABASE", place.url)
    run(printed(capsys, "backup", str(copy)))
    run(printed(capsys, "restore", str(copy)))
    [(next_id,)] = run_sql(place, "SELECT nextval('print_jobs_id_seq')")
    assert next_id > time.time() - 3600


def test_the_lines_stand_in_the_documentation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are quoted there as they are printed."""
    page = Path(__file__).parents[3].joinpath("docs", "backups.md").read_text("utf-8")
    monkeypatch.setenv("BARCODESVC_DATABASE", "postgresql://shop:s3cret@db.example.net/shop")
    for command in ("backup", "restore"):
        assert f"\n{printed(capsys, command, 'shop.dump')}\n" in page
