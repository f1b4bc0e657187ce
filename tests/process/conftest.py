"""A running service for every test of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.process.service import Service


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Return a function that starts a service on a free port with a new database."""
    started: list[Service] = []

    def run(*command: str, **settings: object) -> Service:
        given = {"port": 0, "database": tmp_path / "shop.db", "rate_limit": "off", "log_level": "WARNING"}
        started.append(Service(*command, **given | settings))
        return started[-1]

    yield run
    for service in started:
        if service.process.poll() is None:
            service.process.kill()
        service.process.communicate()
