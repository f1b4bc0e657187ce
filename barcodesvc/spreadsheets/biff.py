"""Records of a BIFF stream, as far as it takes to see how many bytes a sheet occupies (MS-XLS 2.1.4, 2.1.7.20).

A substream begins with a BOF record and ends with EOF; charts stand inside a sheet as substreams of their own.
xlrd reads a sheet from wherever the file says it begins, so a file may name the same bytes as many sheets.
"""

from __future__ import annotations

from struct import Struct

_HEADER = Struct("<HH")
_EOF = 0x0A
_BOF = 0x09


def substream_bytes(stream: bytes, start: int) -> int:
    """Return the length of the substream that begins at `start`, up to the end of the stream where EOF is missing."""
    position = start
    embedded = False
    while 0 <= position <= len(stream) - _HEADER.size:
        code: int
        length: int
        code, length = _HEADER.unpack_from(stream, position)
        if code == _EOF and not embedded:
            return position + _HEADER.size + length - start
        embedded = (embedded and code != _EOF) or (code & 0xFF == _BOF and position > start)
        position += _HEADER.size + length
    return max(len(stream) - start, 0)
