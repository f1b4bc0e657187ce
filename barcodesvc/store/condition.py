"""Whether the last reads and changes met a fault of disk or file that is not known to be over.

A fault is told by the operation that met it, so nothing is asked while all goes well. Its end is told by a change that
was committed, or by a check that whoever asks for the state of the service has begun.
"""

from __future__ import annotations

import logging

from barcodesvc.store.failures import FailureLog, is_fault

_LOG = logging.getLogger(__name__)


class Condition:
    """What is known of reading and of changing; each failure goes to the log as well."""

    def __init__(self, log: FailureLog) -> None:
        self._log = log
        self.reads = True
        self.writes = True

    @property
    def is_sound(self) -> bool:
        """Whether no fault is known."""
        return self.reads and self.writes

    def read_failed(self, what: str, error: BaseException) -> None:
        """Note what a read has met."""
        self._log.tell(what, error)
        self.reads = self.reads and not is_fault(error)

    def write_failed(self, what: str, error: BaseException) -> None:
        """Note what a change has met."""
        self._log.tell(what, error)
        self.writes = self.writes and not is_fault(error)

    def read(self) -> None:
        """Note that everything can be read."""
        if not self.reads:
            _LOG.warning("the database can be read again")
        self.reads = True

    def written(self) -> None:
        """Note that a change was committed."""
        if not self.writes:
            _LOG.warning("the database takes changes again")
        self.writes = True
