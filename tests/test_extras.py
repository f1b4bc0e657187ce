"""Libraries of optional extras: features that need one name it, and everything else works without.

Each process here finds none of them, as if they were not installed.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from barcodesvc.store.engines import open_database
from tests.pages import PAGES, ROOT
from tests.served import Service, StartError

pytestmark = pytest.mark.full_run

EXTRAS = ("asyncpg", "valkey")
PROGRAM = f"""
import sys
sys.modules.update(dict.fromkeys({EXTRAS}))
from barcodesvc.__main__ import console
sys.exit(console())
"""
WITHOUT = (sys.executable, "-c", PROGRAM)
"""The command where none of them is installed."""
SERVER = "postgresql://shop@database.invalid/shop"
POSTGRES_MISSING = "needs the package asyncpg; run `scripts/setup postgres`, or `pip install asyncpg`"
VALKEY_MISSING = "needs the package valkey; run `scripts/setup valkey`, or `pip install valkey`"


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
    title, problem = errors.splitlines()
    assert title == "barcodesvc cannot start:"
    assert problem.startswith(f"BARCODESVC_{setting.upper()}: ")
    assert problem.endswith(missing)


@pytest.mark.parametrize("source_is_server", [False, True])
async def test_a_copy_that_needs_an_extra_says_so(tmp_path: Path, *, source_is_server: bool) -> None:
    """This holds for copies to a server and from one."""
    async with open_database(tmp_path / "source.db"):
        pass
    addresses = (SERVER, tmp_path / "target.db") if source_is_server else (tmp_path / "source.db", SERVER)
    ran = subprocess.run([*WITHOUT, "copy", *map(str, addresses)], capture_output=True, text=True, check=False)  # noqa: S603, ASYNC221 - fixed text; nothing else runs
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.endswith(f"{POSTGRES_MISSING}\n")


def test_nothing_promises_the_package_from_an_index() -> None:
    """It is on none, so `pip install barcodesvc`, with an extra or without, finds nothing."""
    sources = [*PAGES, *(ROOT / "docs" / "examples").iterdir(), *(ROOT / "barcodesvc").rglob("*.py")]
    promise = re.compile(r"barcodesvc\[[a-z]|pip install '?barcodesvc")
    assert [path.name for path in sources if promise.search(path.read_text("utf-8"))] == []


def test_a_service_without_extras_serves_a_file(tmp_path: Path) -> None:
    """SQLite needs neither of them."""
    with Service(tmp_path, *WITHOUT) as service:
        assert service.exchange("GET", "/health")[0] == 200
