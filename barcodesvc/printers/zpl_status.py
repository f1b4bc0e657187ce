"""What a ZPL printer says: its status in response to `~HS`, and its model to `~HI` (ZPL II Programming Guide).

A status is three strings between STX and ETX, each followed by CR LF, with fields between commas:

    first     2 paper out, 3 paused, 5 formats in the receive buffer, 8 a format is being received
    second    3 head open, 4 ribbon out, 9 labels remaining of a batch
    third     a password; unused

Rule: whatever is not such a response is no status; a printer may send anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printers.connection import Model

ASK, ASK_MODEL = b"~HS\r\n", b"~HI\r\n"
LONGEST = 4096
"""Bytes of a response that are kept; a status has about 100."""
_STRINGS = re.compile(
    rb"\x02([0-9A-Za-z,]{1,120})\x03\s{0,8}\x02([0-9A-Za-z,]{1,120})\x03\s{0,8}\x02[^\x02\x03]{1,120}\x03"
)
_MODEL = re.compile(rb"\x02([ -+\--~]{1,80}),(?:[^\x02\x03,]{0,40},([0-9]{1,2}),)?[^\x02\x03]{1,120}\x03")
_DPI = {6: 152, 8: 203, 12: 300, 24: 600}
"""The dots per inch of printheads by their dots per millimetre, which printers tell."""
_FIRST_FIELDS, _SECOND_FIELDS = 12, 11


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state that the printer reports; `waiting` counts formats and labels that are not printed yet."""

    is_paper_out: bool
    is_paused: bool
    is_head_open: bool
    is_ribbon_out: bool
    waiting: int

    @property
    def state(self) -> PrinterState:
        """The state, the first of these that holds."""
        if self.is_head_open:
            return PrinterState.HEAD_OPEN
        if self.is_paper_out:
            return PrinterState.OUT_OF_PAPER
        if self.is_ribbon_out:
            return PrinterState.RIBBON_OUT
        if self.is_paused:
            return PrinterState.PAUSED
        return PrinterState.BUSY if self.waiting else PrinterState.READY


def taken_statuses(received: bytearray) -> list[HostStatus]:
    """Take all statuses out of what was received, with all before them, and return them."""
    found = list(_STRINGS.finditer(bytes(received)))
    if found:
        del received[: found[-1].end()]
    return [status for one in found if (status := _status(one))]


def model_in(received: bytearray) -> Model:
    """Return the model in a response to ASK_MODEL, without a name as long as it has not come."""
    found = _MODEL.search(received)
    return Model(found[1].decode("ascii"), _DPI.get(int(found[2] or 0))) if found else Model()


def _status(found: re.Match[bytes]) -> HostStatus | None:
    first, second = found[1].split(b","), found[2].split(b",")
    if len(first) != _FIRST_FIELDS or len(second) < _SECOND_FIELDS:
        return None
    numbers = (first[1], first[2], first[4], first[7], second[2], second[3], second[8])
    if not all(number.isdigit() for number in numbers):
        return None
    paper_out, paused, formats, partial, head_open, ribbon_out, remaining = map(int, numbers)
    return HostStatus(bool(paper_out), bool(paused), bool(head_open), bool(ribbon_out), formats + partial + remaining)
