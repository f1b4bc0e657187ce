from __future__ import annotations

import pytest

from barcodesvc.errors import InvalidFileFormat
from barcodesvc.spreadsheets.biff import Record, continued, substream

BOF = b"\x09\x08\x02\x00\x00\x06"
EOF = b"\x0a\x00\x00\x00"
CELL = b"\x03\x02\x03\x00abc"


def records(stream: bytes, start: int) -> list[Record]:
    """Return all records of the substream that begins there."""
    return list(substream(stream, start, range(1 << 16)))


def test_a_substream_ends_with_its_own_eof() -> None:
    """A chart inside a sheet is left out, and what stands in front and behind does not count."""
    sheet = BOF + CELL + BOF + CELL + EOF + CELL + EOF
    found = [place for code, place, _ in records(b"front" + sheet + CELL, 5) if code == 0x203]
    assert found == [5 + len(BOF) + 4, 5 + len(BOF + CELL + BOF + CELL + EOF) + 4]


def test_only_the_records_that_are_asked_for_are_told() -> None:
    """A reader names the codes it knows."""
    assert [code for code, _, _ in substream(BOF + CELL + EOF, 0, {0x203})] == [0x203]


@pytest.mark.parametrize(("stream", "start"), [(BOF + CELL, 0), (BOF, 99), (BOF + CELL[:-1] + EOF, 0), (b"", 0)])
def test_a_substream_without_eof_is_cut_short(stream: bytes, start: int) -> None:
    """A stream that ends too early, or a start outside of it, is told."""
    with pytest.raises(InvalidFileFormat, match="cut short"):
        records(stream, start)


def test_continue_records_go_on_with_the_one_before_them() -> None:
    """Only CONTINUE records that stand right behind count."""
    more = b"\x3c\x00\x01\x00x"
    stream = CELL + more + more + EOF + more
    assert continued(stream, (0x203, 4, 7)) == [(4, 7), (11, 12), (16, 17)]
