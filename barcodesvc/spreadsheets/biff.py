"""Records of a BIFF stream, and which of them make up a substream (MS-XLS 2.1.4, 2.1.7.20).

A record is a code, a length and so many bytes. A substream begins with a BOF record and ends with EOF; charts stand
inside a sheet as substreams of their own, with cells of their own that are no part of the sheet.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from struct import Struct

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.refusals import damaged

HEADER = Struct("<HH")
"""Code and length of a record."""

Record = tuple[int, int, int]
"""One record: its code, and where in the stream its bytes begin and end."""

EOF = 0x0A
CONTINUE = 0x3C
BOF = 0x09


def substream(stream: bytes, start: int, codes: Container[int]) -> Iterator[Record]:
    """Yield those records of the substream that begins at `start` whose code is one of `codes`, embedded ones left out.

    Raises InvalidFileFormat where the stream ends before the substream does.
    """
    unpack = HEADER.unpack_from
    position, last = start, len(stream) - HEADER.size
    depth = 0
    while 0 <= position <= last:
        code, length = unpack(stream, position)
        first = position + 4
        position = first + length
        if code in codes and depth <= 1:
            yield code, first, position
        if code == EOF:
            depth -= 1
            if depth < 1:
                return
        elif code & 0xFF == BOF:
            depth += 1
    raise cut_short()


def continued(stream: bytes, record: Record) -> list[tuple[int, int]]:
    """Return where the bytes of a record and of the CONTINUE records behind it begin and end."""
    _, first, position = record
    pieces = [(first, position)]
    while position <= len(stream) - HEADER.size:
        code, length = HEADER.unpack_from(stream, position)
        if code != CONTINUE:
            break
        position += HEADER.size
        pieces.append((position, position + length))
        position += length
    return pieces


def cut_short() -> InvalidFileFormat:
    """Return the refusal of a stream whose records do not add up."""
    return damaged("its .xls structure is cut short or broken")
