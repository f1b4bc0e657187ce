"""The interface of an engine; everything in this folder asks for no more, and no engine is named here.

Rules that every engine keeps: a change is answered when it is committed, and made as a whole or not at all. It belongs
to nobody who waits for it: one whose client goes away is made all the same. Whatever the library raises comes out as
DatabaseFailure, and nothing waits without a bound.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from barcodesvc.store.script import Begin, Row, Script

T = TypeVar("T")


class Reader(Protocol):
    """Whatever named queries can be read from."""

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""


class Snapshot(Reader, Protocol):
    """A reader that sees the database as it was when it was made."""

    def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor, some at a time, never an empty list; whoever leaves, closes it."""

    async def play(self, script: Script[T]) -> T:
        """Play a script that only reads."""


class StagedFile(Protocol):
    """A file of rows that lie ready for an import."""

    def put(self, rows: Iterable[dict[str, Any]]) -> None:
        """Put the rows of `staging.staged_row` behind those that are there."""


Staging = Callable[[Path], AbstractContextManager[StagedFile]]
"""Makes an empty file a staged one, in whatever process; the rows are there once it is left without an error."""


class Database(Reader, Protocol):
    """The open database."""

    @property
    def staging(self) -> Staging:
        """How rows are put aside for this engine; it can be sent to another process."""

    @property
    def is_shared(self) -> bool:
        """Whether other replicas may serve this database, so that what they change has to be looked for."""

    @property
    def writes_under_way(self) -> int:
        """How many changes run or wait for those before them."""

    def version(self) -> int | None:
        """Return a number that every commit changes, whoever commits; None, which equals nothing, if it is unknown.

        What was read after one call is what a read would give now, if now a call gives the same number.
        """

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read as `row` does, where no long list or search is in the way of a scan."""

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change, and return what its script returns once it is committed.

        Raises what the script raises, DatabaseFailure if it cannot be made, and DatabaseOverload if too many wait
        already, or this one has waited too long.
        """

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a change whose script lets others go on between its statements, in a transaction of its own.

        The file `staged` can be read in it under that name. Raises the same as `change`.
        """

    def repeat(self, begin: Begin[bool]) -> None:
        """Make a short change in the background, again and again, until its script returns False.

        One that fails is tried again later; closing the database ends it.
        """

    def snapshot(self, *, staged: Path | None = None) -> AbstractAsyncContextManager[Snapshot]:
        """Open a snapshot, in which the file `staged` can be read under that name.

        Raises ExportOverload if as many are open as may be, and DatabaseFailure.
        """

    async def is_well(self) -> bool:
        """Read for real and begin a change; raises DatabaseFailure, or returns False, where one of them fails."""
