"""The interface of an engine. The rest of the store uses nothing else of an engine, and names none.

Rules for every engine: a change is confirmed after it is committed, and it is made as a whole or not at all. A change
is not tied to its client: it completes even if the client disconnects. Errors of a library come out as DatabaseFailure,
and every wait has a limit.
"""

from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from barcodesvc.store.script import Begin, Row, Statement, one, rows

T = TypeVar("T")


class Reader(Protocol):
    """Reads named queries, in the way of its engine."""

    async def result(self, statement: Statement) -> Any:
        """Run one statement that reads, and return the part of its result that is wanted."""

    async def rows(self, name: str, /, **parameters: Any) -> list[Row]:
        """Read all rows of the query."""
        found: list[Row] = await self.result(rows(name, **parameters))
        return found

    async def row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read the first row of the query, or None."""
        found: Row | None = await self.result(one(name, **parameters))
        return found


class Snapshot(Reader, Protocol):
    """A reader that sees the database as of the moment it was opened."""

    def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[Row]]:
        """Yield all rows of the query from a cursor, some at a time, never an empty list; the caller closes it."""


class StagedFile(Protocol):
    """A file of rows that wait for an import."""

    def put(self, rows: Iterable[dict[str, Any]]) -> None:
        """Append rows, in the form that `staging.StagedRows` makes."""


Staging = Callable[[Path], AbstractContextManager[StagedFile]]
"""Makes an empty file a staged one, in any process; its rows are complete after the block ends without an error."""


class Database(Reader, Protocol):
    """The open database."""

    staging: Staging
    """How rows are put aside for this engine; can be sent to another process."""
    is_shared: bool
    """Whether other replicas may serve this database, so that this one has to poll for their changes."""

    @property
    def writes_under_way(self) -> int:
        """The number of changes that run or wait."""

    def version(self) -> int | None:
        """Return a number that changes with every commit of any process; None if it is unknown.

        As long as the number is the same, a read would return the same as before.
        """

    async def scan_row(self, name: str, /, **parameters: Any) -> Row | None:
        """Read as `row` does, without waiting for long lists and searches."""

    async def change(self, begin: Begin[T]) -> T:
        """Make a short change, and return what its script returns once it is committed.

        Raises what the script raises, DatabaseFailure if it cannot be made, and DatabaseOverload if too many changes
        wait already, or this one has waited too long.
        """

    async def change_long(self, begin: Begin[T], *, staged: Path | None = None) -> T:
        """Make a long change, such as an import, in its own transaction; reads continue meanwhile.

        Its statements can read the rows of the file `staged`. Raises the same as `change`.
        """

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Open a snapshot; raises ExportOverload if too many are open, and DatabaseFailure."""

    async def is_well(self) -> bool:
        """Read for real and begin a change; raises DatabaseFailure, or returns False, if one of them fails."""
