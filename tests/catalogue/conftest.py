"""Imports into the database of a test."""

from pathlib import Path

import pytest

from barcodesvc.runtime.threads import WorkerThreads
from barcodesvc.store.database import Database
from tests.catalogue.imported import Imports


@pytest.fixture
def imports(database: Database, threads: WorkerThreads, tmp_path: Path) -> Imports:
    """Return what imports rows into the test's own database."""
    return Imports(database, threads, tmp_path)
