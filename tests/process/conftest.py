"""A running service for every test of this folder."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.served import MODULE, UNLIMITED, Service


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Return a function that starts a service with its own modules on the database of the test."""
    started: list[Service] = []

    def run(*command: str, **settings: object) -> Service:
        folder = tmp_path / f"service-{len(started)}"
        folder.mkdir()
        given = UNLIMITED | {"database": tmp_path / "shop.db"}
        started.append(Service(folder, *(command or MODULE), **given | settings))
        return started[-1]

    yield run
    for service in started:
        service.kill()
