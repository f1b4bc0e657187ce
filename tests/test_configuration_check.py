"""`barcodesvc check` finds what would stop a start, and changes nothing."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from barcodesvc import configuration_check
from barcodesvc.__main__ import main
from barcodesvc.commands import Finding
from barcodesvc.config import Settings
from barcodesvc.configuration_check import findings
from barcodesvc.store.engines import open_database
from barcodesvc.store.migrations import scripts_of
from tests.engines import Place
from tests.servers.valkey import program, running_valkey


async def _found(subject: str, **settings: object) -> Finding:
    [finding] = [each for each in await findings(Settings(**settings)) if each.subject == subject]  # type: ignore[arg-type]
    return finding


@pytest.mark.each_engine
async def test_a_database_of_this_release_is_right(place: Place) -> None:
    """On either engine."""
    finding = await _found("database", database=place)
    assert finding.is_right
    assert finding.message.endswith("is a database of this release")


async def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    """The start will create it, unless its folder is missing."""
    file = tmp_path / "shop.db"
    assert (await _found("database", database=file)).message == f"{file} does not exist; the start creates it"
    assert not file.exists()
    missing = await _found("database", database=tmp_path / "none" / "shop.db")
    assert not missing.is_right
    assert f"in the folder {tmp_path / 'none'}: No such file or directory" in missing.message


async def test_a_log_without_its_database_is_wrong(tmp_path: Path) -> None:
    """The start would refuse it, too."""
    (tmp_path / "shop.db-wal").write_bytes(b"changes")
    finding = await _found("database", database=tmp_path / "shop.db")
    assert (finding.is_right, "put the file back" in finding.message) == (False, True)


@pytest.mark.parametrize(
    ("kind", "is_right"),
    [("nfs4", False), ("cifs", False), ("fuse.sshfs", False), ("ext4", True), ("fuse.bindfs", True)],
)
async def test_a_database_on_a_network_file_system_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kind: str, *, is_right: bool
) -> None:
    """SQLite may damage it there, so the check names the file system, and a start warns."""
    mounts = [SimpleNamespace(mountpoint=place, fstype=found) for place, found in (("/", "nfs"), (str(tmp_path), kind))]
    monkeypatch.setattr("psutil.disk_partitions", lambda **_: mounts)
    finding = await _found("database", database=tmp_path / "shop.db")
    assert (finding.is_right, f"network file system ({kind})" in finding.message) == (is_right, not is_right)
    async with open_database(tmp_path / "shop.db"):
        assert (f"({kind})" in caplog.text) is not is_right


async def test_a_web_app_that_lacks_files_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service would start, and serve the API alone."""
    assert await _found("web app") == Finding("web app", "complete")
    monkeypatch.setattr(configuration_check, "PAGE_FOLDER", tmp_path)
    finding = await _found("web app")
    assert (finding.is_right, "run scripts/setup" in finding.message) == (False, True)


async def test_an_address_of_another_machine_is_wrong() -> None:
    """A port in use is not: it may be the service's, so the finding names it."""
    finding = await _found("address", host="192.0.2.1")
    assert (finding.is_right, "cannot listen on 192.0.2.1: " in finding.message) == (False, True)
    with socket.create_server(("127.0.0.1", 0)) as used:
        finding = await _found("address", port=used.getsockname()[1])
        assert (finding.is_right, "is in use, by the running service or by another" in finding.message) == (True, True)


async def test_an_older_database_is_not_migrated(migrated_file: Path, tmp_path: Path) -> None:
    """The finding says that the start migrates it."""
    file = tmp_path / "shop.db"
    file.write_bytes(migrated_file.read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE schema_version SET version = version - 1")
        connection.commit()
        finding = await _found("database", database=file)
        assert (finding.is_right, "back it up first" in finding.message) == (True, True)
        [(version,)] = connection.execute("SELECT version FROM schema_version")
    assert version == max(scripts_of("sqlite")) - 1


async def test_a_database_that_the_start_refuses_is_wrong(migrated_file: Path, tmp_path: Path) -> None:
    """One from before the first release: the finding says how its content comes into a new one."""
    file = tmp_path / "shop.db"
    file.write_bytes(migrated_file.read_bytes())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE schema_version SET version = 17")
        connection.commit()
    finding = await _found("database", database=file)
    assert (finding.is_right, "download /api/products/export" in finding.message) == (False, True)


async def test_an_empty_database_is_right_and_a_foreign_one_is_not(tmp_path: Path) -> None:
    """The tables of another program are never touched."""
    file = tmp_path / "shop.db"
    file.touch()
    assert (await _found("database", database=file)).message == f"{file} is empty; the start creates its tables"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE others (id INTEGER)")
    assert not (await _found("database", database=file)).is_right


async def test_a_file_that_is_no_font_is_found(tmp_path: Path) -> None:
    """So is a wrong folder for temporary files."""
    font = tmp_path / "font.ttf"
    font.write_text("not a font")
    assert not (await _found("label font", label_font=font)).is_right
    wrong = await _found("temporary files", temporary_folder=tmp_path / "none")
    assert (wrong.is_right, "BARCODESVC_TEMPORARY_FOLDER" in wrong.message) == (False, True)


async def test_a_store_of_limits_is_asked() -> None:
    """One that does not answer is wrong, though the service would start without it."""
    if program() is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    with running_valkey() as server:
        assert (await _found("rate limit store", rate_limit_store=server.address)).is_right
    away = await _found("rate limit store", rate_limit_store=server.address)
    assert (away.is_right, "does not answer" in away.message) == (False, True)


def test_the_command_prints_a_line_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its status is 0 if all are right, else 2."""
    monkeypatch.delenv("BARCODESVC_DATABASE", raising=False)
    assert main(["check", "--database", str(tmp_path / "shop.db"), "--port", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["ok     settings: valid", "ok     address: 127.0.0.1:0 is free"]
    assert len(lines) == 9
    assert main(["--database", str(tmp_path / "none" / "shop.db"), "check"]) == 2
    assert [line[:5] for line in capsys.readouterr().out.splitlines()].count("WRONG") == 1
