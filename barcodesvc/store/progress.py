"""What the one change under way is doing, for whoever is asked whether the database is well.

It is written in the event loop or in the writer's thread, and read in the loop, without a lock: one assignment.
"""

from __future__ import annotations

from time import perf_counter

BEGIN = "BEGIN IMMEDIATE"
COMMIT = "COMMIT"
HELD_UP = 0.5
"""Seconds after which a change that another process keeps waiting makes the service unwell."""
COMMIT_WAIT = 0.9
"""Seconds after which a commit that the disk has not answered makes the service unwell; statements may take longer."""


class Progress:
    """The statement that runs, by its name, and since when."""

    def __init__(self) -> None:
        self._running = ("", 0.0)

    @property
    def statement(self) -> str:
        """The name of the statement that runs, "" between two."""
        return self._running[0]

    def begin(self, statement: str) -> None:
        """Note that a statement begins."""
        self._running = (statement, perf_counter())

    def end(self) -> None:
        """Note that it has ended."""
        self._running = ("", 0.0)

    def is_held_up(self) -> bool:
        """Tell whether another process, or the disk, keeps the change waiting for longer than it should."""
        statement, since = self._running
        bound = {BEGIN: HELD_UP, COMMIT: COMMIT_WAIT}.get(statement)
        return bound is not None and perf_counter() - since > bound
