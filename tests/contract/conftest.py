"""What the tests of the document share: the service as others see it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.served import Served, serving


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Return a service that runs in a separate process."""
    with serving(tmp_path) as running:
        yield running
