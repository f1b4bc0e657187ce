"""What is installed: the wheel has everything that the command needs, and works without the libraries of its extras."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from barcodesvc.store.engines import open_database
from tests.served import Service, StartError

pytestmark = pytest.mark.full_run

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
PROGRAM = """
import sys
sys.modules.update(dict.fromkeys(("asyncpg", "valkey")))
from barcodesvc.__main__ import console
sys.exit(console())
"""
WITHOUT = (sys.executable, "-c", PROGRAM)
"""The command where the libraries of no extra are installed."""
SERVER = "postgresql://shop@database.invalid/shop"
POSTGRES_MISSING = "needs the package asyncpg; run `scripts/setup postgres`, or `pip install asyncpg`"
VALKEY_MISSING = "needs the package valkey; run `scripts/setup valkey`, or `pip install valkey`"


def _run(*command: str | Path, **environment: str) -> str:
    """Run a command, which must succeed, and return its output."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})  # noqa: S603 - fixed text
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of programs of an environment with only the wheel installed."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in ("barcodesvc", "sql"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    (source / "scripts").mkdir()
    for name in ("build_backend.py", "page_packages.py"):
        shutil.copy(ROOT / "scripts" / name, source / "scripts")
    shutil.copytree(ROOT / "scripts" / "page-packages", source / "scripts" / "page-packages")
    _run(*PIP, "wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", folder, source)
    [wheel] = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    site = next((folder / "env").glob("lib*/python*/site-packages"))
    _run(*PIP, "--python", folder / "env/bin/python", "install", "--no-deps", "--no-index", wheel)
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return lambda program: folder / "env/bin" / program


def test_the_installed_command_serves_what_the_wheel_holds(installed: Callable[[str], Path], tmp_path: Path) -> None:
    """In an empty folder it creates its database, serves and ends; its modules and SQL files are those of the wheel."""
    origin = "import barcodesvc, barcodesvc.sql as sql; print(barcodesvc.__file__, sql.__file__)"
    paths = _run(installed("python"), "-P", "-c", origin)
    assert paths.count(str(installed(".").parent)) == 2
    with Service(tmp_path, installed("barcodesvc")) as service:
        assert service.download("/api/codes/qrcode/A-1.svg").startswith(b"<svg")
        assert service.stop().status == 0
    output = _run(
        installed("barcodesvc"), "backup", tmp_path / "copy.db", BARCODESVC_DATABASE=str(tmp_path / "shop.db")
    )
    assert "0 products" in output


def test_the_wheel_has_every_file_of_the_page(installed: Callable[[str], Path]) -> None:
    """Every file that browsers are served is installed with the service."""
    folder = _run(
        installed("python"),
        "-P",
        "-c",
        "from barcodesvc.api.resources.page_files import PAGE_FOLDER; print(PAGE_FOLDER)",
    ).strip()
    assert folder.startswith(str(installed("..").resolve()))
    assert _contents(Path(folder)) == _contents(ROOT / "barcodesvc" / "page")


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_description_of_the_package_has_no_broken_link(installed: Callable[[str], Path]) -> None:
    """An index shows it without the files of the repository, so it has neither pictures nor relative links."""
    show = "from importlib.metadata import metadata; print(metadata('barcodesvc').get_payload())"
    described = _run(installed("python"), "-P", "-c", show)
    assert "web app" in described
    assert re.findall(r"\]\((?!https?://)|<img", described) == []


@pytest.mark.parametrize(
    ("setting", "address", "missing"),
    [
        ("database", SERVER, POSTGRES_MISSING),
        ("rate_limit_store", "valkey://limits.invalid/0", VALKEY_MISSING),
    ],
)
def test_an_address_that_needs_an_extra_stops_the_start(
    tmp_path: Path, setting: str, address: str, missing: str
) -> None:
    """One sentence names the setting, the library, and how to install it."""
    with pytest.raises(StartError) as refused:
        Service(tmp_path, *WITHOUT, **{setting: address})
    status, output, errors = refused.value.end
    assert (status, output) == (2, "")
    problem = errors.splitlines()[-1]
    assert problem.startswith(f"BARCODESVC_{setting.upper()}: ")
    assert problem.endswith(missing)


async def test_a_copy_that_needs_an_extra_says_so(tmp_path: Path) -> None:
    """One line names the library, and nothing is copied."""
    async with open_database(tmp_path / "source.db"):
        pass
    command = [*WITHOUT, "copy", str(tmp_path / "source.db"), SERVER]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, ASYNC221 - fixed text; nothing else runs
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith(f"{POSTGRES_MISSING}\n")


def test_a_service_without_extras_serves_a_file(tmp_path: Path) -> None:
    """SQLite needs neither of them."""
    with Service(tmp_path, *WITHOUT) as service:
        assert service.exchange("GET", "/health")[0] == 200
