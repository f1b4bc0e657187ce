"""Fixtures of the copy tests: places for databases of either engine."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.engines import Place, ServerPlaces

NewPlace = Callable[[str], Place]


@pytest.fixture
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewPlace]:
    """Return a function that returns a place for a database of an engine: a new file's path, or an empty database."""
    with ExitStack() as made:
        numbers = iter(range(100))

        def make(engine: str) -> Place:
            if engine == "sqlite":
                return tmp_path / f"{next(numbers)}.db"
            server: ServerPlaces = request.getfixturevalue("postgres")
            return made.enter_context(server.empty())

        yield make
