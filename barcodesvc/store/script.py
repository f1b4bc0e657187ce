"""Scripts: each is a generator that yields named statements and is sent what they give, without any I/O.

    def script() -> Script[LevelChange]:
        row = yield one("insert_change", product_id=product_id, new_level=8)
        yield run("set_level", product_id=product_id, new_level=8)
        return LevelChange(*row)

    change = await database.change(script)

An engine (see `database.Database`) plays a script inside a transaction: what it returns is the result once that is
committed, and what it raises undoes it. Rule: a script may be begun anew, so it changes nothing but the database.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from enum import Enum, auto
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

Row = tuple[Any, ...]
"""One row that a statement gives."""


class MetAnotherChangeError(Exception):
    """Raised by a script that finds what another connection has written meanwhile; the engine begins it anew."""


class Result(Enum):
    """What of a statement a script is sent."""

    ROW = auto()
    ROWS = auto()
    COUNT = auto()


class Statement(NamedTuple):
    """A query by its name, what is bound to its parameters, and what is sent for it."""

    name: str
    parameters: dict[str, Any]
    result: Result


Script = Generator[Statement, Any, T]
"""A change or a read under way."""
Begin = Callable[[], Script[T]]
"""Begins a script, each time anew."""


def one(name: str, /, **parameters: Any) -> Statement:
    """Ask for the first row, or None."""
    return Statement(name, parameters, Result.ROW)


def rows(name: str, /, **parameters: Any) -> Statement:
    """Ask for all rows, as a list."""
    return Statement(name, parameters, Result.ROWS)


def run(name: str, /, **parameters: Any) -> Statement:
    """Run a statement that gives no rows, and ask how many it has changed."""
    return Statement(name, parameters, Result.COUNT)


def play(script: Script[T], answer: Callable[[Statement], Any]) -> T:
    """Play a script to its end, and return what it returns; raises what either raises."""
    try:
        statement = next(script)
        while True:
            statement = script.send(answer(statement))
    except StopIteration as end:
        result: T = end.value
        return result


async def play_waiting(script: Script[T], answer: Callable[[Statement], Awaitable[Any]]) -> T:
    """Do the same where each answer has to be waited for."""
    try:
        statement = next(script)
        while True:
            statement = script.send(await answer(statement))
    except StopIteration as end:
        result: T = end.value
        return result
