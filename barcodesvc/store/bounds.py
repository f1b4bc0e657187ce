"""For how long, and how many, wait for the database before they fail: without bounds a slow one fills the memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds, and numbers of requests; `connections` are those of a database server."""

    busy_timeout: float = 15.0
    statement_timeout: float = 60.0
    write_wait: float = 60.0
    write_queue: int = 1000
    read_queue: int = 1000
    connections: int = 10

    @property
    def answer_wait(self) -> float:
        """Seconds after which a statement that has not ended is given up."""
        return self.busy_timeout + self.statement_timeout
