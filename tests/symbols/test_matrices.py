from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.matrices import aztec, data_matrix, gs1_data_matrix, gs1_qr, pdf417, rmqr
from barcodesvc.symbols.modules import Matrix

CONTENTS = st.text("".join(map(chr, range(32, 127))), min_size=1, max_size=64)


@settings(deadline=None, derandomize=True)
@given(content=CONTENTS)
def test_data_matrix_is_square_with_its_finder_pattern(content: str) -> None:
    """A solid bar runs down the left and along the bottom, a clock track along the other sides (ISO/IEC 16022)."""
    rows = data_matrix(content).rows
    assert {len(row) for row in rows} == {len(rows)}
    assert all(row[0] == 1 for row in rows)
    assert set(rows[-1]) == {1}
    assert list(rows[0]) == [1, 0] * (len(rows) // 2)


@settings(deadline=None, derandomize=True)
@given(content=CONTENTS)
def test_aztec_is_square_around_its_bullseye(content: str) -> None:
    """The module in the middle is dark, with a light and a dark ring around it (ISO/IEC 24778)."""
    rows = aztec(content).rows
    middle = len(rows) // 2
    assert {len(row) for row in rows} == {len(rows)}
    assert list(rows[middle][middle - 2 : middle + 3]) == [1, 0, 1, 0, 1]


@settings(deadline=None, derandomize=True)
@given(content=CONTENTS)
def test_pdf417_has_rows_of_three_modules_between_start_and_stop(content: str) -> None:
    """Every row begins with 8 dark modules and ends with the stop pattern's single one (ISO/IEC 15438)."""
    rows = pdf417(content).rows
    assert all(row.startswith(b"\x01" * 8 + b"\x00") and row.endswith(b"\x00\x01") for row in rows)
    assert all(rows[top] == rows[top + 1] == rows[top + 2] for top in range(0, len(rows), 3))


@settings(deadline=None, derandomize=True)
@given(content=CONTENTS)
def test_rmqr_has_one_finder_pattern_and_a_sub_pattern(content: str) -> None:
    """The finder stands in the upper left corner, a light module in the middle of the last five (ISO/IEC 23941)."""
    rows = rmqr(content).rows
    assert rows[0].startswith(b"\x01" * 7)
    assert rows[-3][-5:] == b"\x01\x00\x01\x00\x01"
    assert len(rows) < len(rows[0])


def test_gs1_matrices_take_both_spellings() -> None:
    """Bracketed and raw element strings are one symbol."""
    for encode in (gs1_data_matrix, gs1_qr):
        assert encode("(01)09521234543213(10)LOT7") == encode("010952123454321310LOT7")


GS1 = "(01)09521234543213"


@pytest.mark.parametrize(
    ("encode", "content", "quiet"),
    [
        *((data_matrix, "A", 1), (aztec, "A", 0), (pdf417, "A", 2), (rmqr, "A", 2)),
        *((gs1_data_matrix, GS1, 1), (gs1_qr, GS1, 4)),
    ],
)
def test_quiet_zones_are_those_of_the_standards(encode: Callable[[str], Matrix], content: str, quiet: int) -> None:
    """Data Matrix has one module, Aztec none, PDF417 and rMQR two, QR four."""
    assert encode(content).quiet == quiet
