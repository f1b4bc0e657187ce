"""A second file system for tests of backups."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture(autouse=True)
def _on_sqlite(database_file: Path) -> None:  # the fixture skips on another engine
    """Run the tests of SQLite's engine only on SQLite."""


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on another file system."""
    known = (Path("/dev/shm"), Path.home())  # noqa: S108 - the test makes a folder there
    others = [each for each in known if each.is_dir() and each.stat().st_dev != tmp_path.stat().st_dev]
    if not others:
        pytest.skip("there is no other file system here")
    with TemporaryDirectory(dir=others[0]) as folder:
        yield Path(folder)
