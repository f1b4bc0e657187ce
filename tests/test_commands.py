import asyncio
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import pytest

from barcodesvc.__main__ import main
from barcodesvc.config import Settings
from barcodesvc.models import ProductDraft
from barcodesvc.store.sqlite.database import open_database
from tests.stock import create_product

ROOT = Path(__file__).parents[1]
NOW = "2026-01-31T12:00:00.000Z"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the configured database, with a product."""
    path = tmp_path / "shop.db"
    monkeypatch.setenv("BARCODESVC_DATABASE", str(path))
    asyncio.run(add(path, "A"))
    return path


async def add(path: Path, code: str) -> None:
    """Create a product with this code in a database."""
    async with open_database(path) as database:
        await create_product(database, ProductDraft(product_code=code, description="x"), NOW)


def codes_in(path: Path) -> list[str]:
    """Return the codes in a file."""
    with closing(sqlite3.connect(path)) as connection:
        return [code for (code,) in connection.execute("SELECT product_code FROM products ORDER BY id")]


def test_a_backup_and_its_way_back(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command prints one line with what it has done, and where the former database is."""
    copy = shop.with_name("copy.db")
    assert main(["backup", str(copy)]) == 0
    asyncio.run(add(shop, "B"))
    assert main(["restore", str(copy)]) == 0
    lines = capsys.readouterr().out.splitlines()
    [aside] = shop.parent.glob("shop.db.before-*")
    assert lines == [
        f"{shop} is copied to {copy}: 1 products, last changed at {NOW}, checked",
        f"{shop} is replaced with {copy}: 1 products, last changed at {NOW}, checked; the previous database is {aside}",
    ]
    assert (codes_in(shop), codes_in(aside)) == (["A"], ["A", "B"])


def test_a_command_that_fails_says_why(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on standard error, and status 2."""
    copy = shop.with_name("copy.db")
    assert main(["backup", str(copy)]) == 0
    assert main(["backup", str(copy)]) == 2
    problem = f"{shop} cannot be copied to {copy}: it already exists; name another file, or overwrite it with --force\n"
    assert capsys.readouterr().err == problem
    assert main(["backup", str(copy), "--force"]) == 0


@pytest.mark.parametrize("arguments", [["copy"], ["backup"], ["backup", "a", "b"], ["--force"]], ids=" ".join)
def test_a_wrong_command_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown command, or one without its file, ends with status 2 and a usage line."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: barcodesvc" in capsys.readouterr().err


def test_a_bad_setting_stops_a_command_too(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings are read as for serving."""
    monkeypatch.setenv("BARCODESVC_PROT", "1")
    assert main(["backup", str(shop.with_name("copy.db"))]) == 2
    assert not shop.with_name("copy.db").exists()


def test_a_bad_setting_does_not_stop_a_copy(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names both of its databases itself, and needs no settings."""
    monkeypatch.setenv("BARCODESVC_PORT", "many")
    assert main(["copy", str(shop), str(shop.with_name("copied.db"))]) == 0
    assert codes_in(shop.with_name("copied.db")) == ["A"]


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_the_line_for_a_server_names_the_address_that_an_option_gave(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The variable is not set then; a password is not shown, and PostgreSQL's programs ask for it."""
    monkeypatch.delenv("BARCODESVC_DATABASE", raising=False)
    assert main([command, "--database", "postgresql://shop:secret@db/shop", "shop.dump"]) == 2
    said = capsys.readouterr().err
    assert "--dbname=postgresql://shop@db/shop" in said
    assert "secret" not in said
    assert "$BARCODESVC_DATABASE" not in said


@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_place_where_no_file_can_be_created_is_reported(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """One line names the offending folder, even with --force, and nothing is changed or left."""
    copy, target = shop.with_name("copy.db"), shop / "x.db"
    assert main(["backup", str(copy)]) == 0
    capsys.readouterr()
    arguments, what = [str(target), "--force"], f"{shop} cannot be copied to {target}"
    if command == "restore":
        monkeypatch.setenv("BARCODESVC_DATABASE", str(target))
        arguments, what = [str(copy)], f"{target} cannot be replaced with {copy}"
    assert main([command, *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{what}: no file can be created in the folder {shop}: Not a directory")
    assert {path.name for path in shop.parent.iterdir()} == {"shop.db", "copy.db"}
    assert codes_in(shop) == ["A"]


@pytest.mark.parametrize("file", ["loop", "n" * 250, "folder"], ids=["loop", "long", "folder"])
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_source_that_cannot_be_read_is_reported(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, file: str
) -> None:
    """One line names it, and the status is 2."""
    shop.with_name("folder").mkdir()
    shop.with_name("loop").symlink_to(shop.with_name("loop"))
    source = shop.with_name(file)
    if command == "backup":
        monkeypatch.setenv("BARCODESVC_DATABASE", str(source))
    arguments = [str(source)] if command == "restore" else [str(shop.with_name("copy.db")), "--force"]
    assert main([command, *arguments]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert f"there is no file {source}" in line
    assert codes_in(shop) == ["A"]


def test_the_version_is_that_of_the_package(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is printed with the licence and the address of the source code, and nothing is served or opened."""
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    release = f"barcodesvc {version('barcodesvc')}, AGPL-3.0-or-later"
    assert (end.value.code, capsys.readouterr().out) == (0, f"{release}\n")
    monkeypatch.setenv("BARCODESVC_SOURCE_URL", "https://shop.example/source")
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"{release} https://shop.example/source\n"


def test_an_option_comes_before_its_variable(shop: Path) -> None:
    """Before or after the command, and only for this process."""
    other, copy = shop.with_name("other.db"), shop.with_name("copy.db")
    asyncio.run(add(other, "OTHER"))
    assert main(["backup", "--database", str(other), str(copy)]) == 0
    assert main(["--database", str(other), "backup", "--force", str(copy)]) == 0
    assert codes_in(copy) == ["OTHER"]
    assert main(["backup", "--force", str(copy)]) == 0
    assert codes_in(copy) == ["A"]


def test_an_invalid_option_is_named_by_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    """As if the variable had the value."""
    assert main(["--port", "many"]) == 2
    assert capsys.readouterr().err.startswith("barcodesvc cannot start:\nBARCODESVC_PORT: ")


def test_the_help_names_address_settings_and_docs(capsys: pytest.CaptureFixture[str]) -> None:
    """The defaults that it names are those of the settings, and the pages exist."""
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    defaults = {name: field.default for name, field in Settings.model_fields.items()}
    assert f"http://{defaults['host']}:{defaults['port']}" in shown
    assert set(re.findall(r"BARCODESVC_(\w+)", shown)) <= {name.upper() for name in defaults}
    assert all((ROOT / page).is_file() for page in re.findall(r"docs/[a-z-]+\.md", shown))


def test_windows_is_refused_in_one_sentence() -> None:
    """Python there lacks the modules `fcntl` and `resource`, which the service needs."""
    hidden = "sys.platform = 'win32'; sys.modules.update(fcntl=None, resource=None)"
    script = f"import runpy, sys; {hidden}; runpy.run_module('barcodesvc', run_name='__main__')"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603 - fixed text
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
    assert "container or in WSL" in ended.stderr
