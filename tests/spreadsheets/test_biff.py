from __future__ import annotations

from barcodesvc.spreadsheets.biff import substream_bytes

BOF = b"\x09\x08\x02\x00\x00\x06"
EOF = b"\x0a\x00\x00\x00"
CELL = b"\x03\x02\x03\x00abc"


def test_a_substream_ends_with_its_own_eof() -> None:
    """A chart inside a sheet ends before the sheet does, and what stands in front does not count."""
    sheet = BOF + CELL + BOF + CELL + EOF + CELL + EOF
    assert substream_bytes(b"front" + sheet + CELL, 5) == len(sheet)


def test_a_substream_without_eof_reaches_to_the_end() -> None:
    """A stream that is cut short, or a start outside of it, is measured all the same."""
    assert substream_bytes(BOF + CELL, 0) == len(BOF + CELL)
    assert substream_bytes(BOF, 99) == 0
