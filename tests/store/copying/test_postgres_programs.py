"""What `backup` and `restore` say of a database server: the command lines, run as they are printed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from barcodesvc.__main__ import main
from barcodesvc.addresses import ServerAddress
from scripts.servers.postgres import programs
from tests.beside import run_beside
from tests.store.copying.conftest import NewPlace
from tests.store.copying.stored import content, filled

OWNER = "barcodesvc test owner"
ROLE = """
    DO $$ BEGIN
        CREATE ROLE "barcodesvc test owner" LOGIN;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END $$
"""


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the line for a shell that a command prints instead of doing it."""
    capsys.readouterr()
    assert main(arguments) == 2
    said, line = capsys.readouterr().err.splitlines()
    assert said.startswith("PostgreSQL ")
    return line


def run(line: str) -> None:
    """Run a line in a shell that finds PostgreSQL's programs."""
    folder = programs()
    if folder is None or not (folder / "pg_restore").exists():
        pytest.skip("pg_dump and pg_restore are not installed")
    path = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(line, shell=True, env=path, check=False, capture_output=True, text=True)  # noqa: S602 - what is printed is for a shell
    assert (done.returncode, done.stderr) == (0, "")


def owned(place: ServerAddress) -> ServerAddress:
    """Let a database belong to a role that may do nothing else, and return its address for that role."""
    run_beside(place, ROLE, f'ALTER DATABASE "{urlsplit(place.url).path[1:]}" OWNER TO "{OWNER}"')
    host = urlsplit(place.url).netloc.rpartition("@")[2]
    return ServerAddress(urlsplit(place.url)._replace(netloc=f"{OWNER.replace(' ', '%20')}:s3cret@{host}").geturl())


@pytest.mark.parametrize("role", ["superuser", "owner"])
def test_a_backup_and_its_way_back(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], role: str
) -> None:
    """The two lines, run by a shell, bring back what was there; neither shows a password."""
    place = new_place("postgres")
    assert isinstance(place, ServerAddress)
    place = owned(place) if role == "owner" else place
    before, copy = content(filled(place)), tmp_path / "it's a $copy.dump"
    monkeypatch.setenv("BARCODESVC_DATABASE", place.url)
    backup, restore = printed(capsys, "backup", str(copy)), printed(capsys, "restore", str(copy))
    assert "s3cret" not in backup + restore
    run(backup)
    run_beside(place, "DELETE FROM products", "DROP TABLE ended_sessions")
    run(restore)
    assert content(place) == before
    assert ("products_by_trigrams",) in run_beside(place, "SELECT indexname FROM pg_indexes")


def test_a_backup_is_restored_into_a_new_database(
    new_place: NewPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is nothing to drop in it."""
    source, target, copy = filled(new_place("postgres")), new_place("postgres"), tmp_path / "copy.dump"
    assert isinstance(source, ServerAddress)
    assert isinstance(target, ServerAddress)
    monkeypatch.setenv("BARCODESVC_DATABASE", source.url)
    run(printed(capsys, "backup", str(copy)))
    monkeypatch.setenv("BARCODESVC_DATABASE", target.url)
    run(printed(capsys, "restore", str(copy)))
    assert content(target) == content(source)


def test_the_lines_stand_in_the_documentation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they are printed, but for quotes that a plain address does not need."""
    page = Path(__file__).parents[3].joinpath("docs", "operating.md").read_text("utf-8").replace("'", "")
    monkeypatch.setenv("BARCODESVC_DATABASE", "postgresql://shop:s3cret@db.example.net/shop")
    for command in ("backup", "restore"):
        assert f"\n{printed(capsys, command, 'shop.dump')}\n" in page
