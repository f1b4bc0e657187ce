"""What the tests of the document share: the service as others see it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.served import UNLIMITED, Service


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Service]:
    """Return a service that runs in a separate process."""
    with Service(tmp_path, **UNLIMITED) as running:
        yield running
