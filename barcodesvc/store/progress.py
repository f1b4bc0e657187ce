"""What the one change under way is doing, for whoever is asked whether the database is well.

It is written in the event loop or in the writer's thread, and read in the loop, without a lock: one assignment.
"""

from __future__ import annotations

from time import perf_counter

BEGIN = "BEGIN"
COMMIT = "COMMIT"
HELD_UP = 0.5
"""Seconds after which a change that another process keeps waiting makes the service unwell."""
COMMIT_WAIT = 0.9
"""Seconds after which a commit that the disk has not answered makes the service unwell; statements may take longer."""


class Running:
    """The statement of one transaction that runs, by its name, and since when."""

    def __init__(self) -> None:
        self._now = ("", 0.0)

    @property
    def statement(self) -> str:
        """The name of the statement that runs, "" between two."""
        return self._now[0]

    @property
    def seconds(self) -> float:
        """For how long the statement has been running."""
        return perf_counter() - self._now[1]

    def begin(self, statement: str) -> None:
        """Note that a statement begins."""
        self._now = (statement, perf_counter())

    def end(self) -> None:
        """Note that it has ended."""
        self._now = ("", 0.0)


class Progress:
    """What runs of the last transaction; one that was given up before goes on unseen."""

    def __init__(self) -> None:
        self._running = Running()

    def anew(self) -> Running:
        """Return what the transaction that begins now has to keep up to date."""
        self._running = Running()
        return self._running

    def is_held_up(self) -> bool:
        """Tell whether another process, or the disk, keeps the change waiting for longer than it should."""
        bound = {BEGIN: HELD_UP, COMMIT: COMMIT_WAIT}.get(self._running.statement)
        return bound is not None and self._running.seconds > bound
