"""Scripts: generators that yield named statements and receive their results, without any I/O.

    def script() -> Script[LevelChange]:
        row = yield one("insert_setting", product_id=product_id, new_level=8)
        yield run("set_level", product_id=product_id, new_level=8)
        return LevelChange(*row)

    movement = await database.change(script)

An engine (see `database.Database`) plays a script inside a transaction: it returns what the script returns after the
commit, and rolls back if the script raises. Rule: a script may be begun again, so it changes nothing but the database.
"""

from collections.abc import Awaitable, Callable, Generator
from enum import Enum, auto
from typing import Any, NamedTuple, TypeVar

S = TypeVar("S")
T = TypeVar("T")

Row = tuple[Any, ...]
"""One row that a statement returns."""


class ConflictError(Exception):
    """Raised by a script when another connection has made a conflicting change; the engine begins the script again."""


class Result(Enum):
    """Which part of a statement's result a script receives."""

    ROW = auto()
    ROWS = auto()
    COUNT = auto()


class Statement(NamedTuple):
    """A query by its name, the values of its parameters, and which part of its result is wanted."""

    name: str
    parameters: dict[str, Any]
    result: Result


Script = Generator[Statement, Any, T]
"""A change or a read under way."""
Begin = Callable[[], Script[T]]
"""Begins a script, any number of times."""


def one(name: str, /, **parameters: Any) -> Statement:
    """Ask for the first row, or None."""
    return Statement(name, parameters, Result.ROW)


def rows(name: str, /, **parameters: Any) -> Statement:
    """Ask for all rows, as a list."""
    return Statement(name, parameters, Result.ROWS)


def run(name: str, /, **parameters: Any) -> Statement:
    """Run a statement that returns no rows, and ask how many it has changed."""
    return Statement(name, parameters, Result.COUNT)


def changed_rows(statement: Statement) -> Script[int]:
    """Run a statement as a whole script, and return how many rows it has changed."""
    count: int = yield statement
    return count


def play(script: Generator[S, Any, T], result_of: Callable[[S], Any]) -> T:
    """Play a script to its end, and return what it returns; raises what the script or `result_of` raises."""
    try:
        statement = next(script)
        while True:
            statement = script.send(result_of(statement))
    except StopIteration as end:
        result: T = end.value
        return result


async def play_waiting(script: Generator[S, Any, T], result_of: Callable[[S], Awaitable[Any]]) -> T:
    """Play a script whose results have to be awaited; see `play`."""
    try:
        statement = next(script)
        while True:
            statement = script.send(await result_of(statement))
    except StopIteration as end:
        result: T = end.value
        return result
