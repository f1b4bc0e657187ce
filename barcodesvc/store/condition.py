"""Whether the last reads and changes met a fault of disk or file that is not known to be over.

A fault is told by the operation that met it, so nothing is asked while all goes well. Its end is told by a check that
whoever asks for the state of the service has begun, and by nothing else: what happens to work may need less than what
failed. A broken page hides from most reads and changes, so its end is told by a check of the whole file alone.
"""

from __future__ import annotations

import logging

from barcodesvc.store.failures import FailureLog, breaks_file, is_fault

_LOG = logging.getLogger(__name__)


class Condition:
    """What is known of reading and of changing; each failure goes to the log as well."""

    def __init__(self, log: FailureLog) -> None:
        self._log = log
        self.reads = True
        self.writes = True
        self.is_whole = True

    @property
    def is_sound(self) -> bool:
        """Whether no fault is known."""
        return self.reads and self.writes and self.is_whole

    def read_failed(self, what: str, error: BaseException) -> None:
        """Note what a read has met."""
        self._told(what, error)
        self.reads = self.reads and not is_fault(error)

    def write_failed(self, what: str, error: BaseException) -> None:
        """Note what a change has met."""
        self._told(what, error)
        self.writes = self.writes and not is_fault(error)

    def read(self) -> None:
        """Note that everything can be read, and every page was."""
        if not (self.reads and self.is_whole):
            _LOG.warning("the database can be read again")
        self.reads = self.is_whole = True

    def written(self) -> None:
        """Note that a check has committed a change."""
        if not self.writes:
            _LOG.warning("the database takes changes again")
        self.writes = True

    def _told(self, what: str, error: BaseException) -> None:
        self._log.tell(what, error)
        self.is_whole = self.is_whole and not breaks_file(error)
