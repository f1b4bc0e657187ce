from collections.abc import Callable

import pytest
import zxingcpp
from hypothesis import given, settings, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.matrices import (
    aztec,
    data_matrix,
    gs1_data_matrix,
    gs1_qr,
    micro_pdf417,
    micro_qr,
    pdf417,
    rmqr,
)
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
    """The finder is in the upper left corner, with a light module in the middle of the last five (ISO/IEC 23941)."""
    rows = rmqr(content).rows
    assert rows[0].startswith(b"\x01" * 7)
    assert rows[-3][-5:] == b"\x01\x00\x01\x00\x01"
    assert len(rows) < len(rows[0])


@settings(deadline=None, derandomize=True)
@given(content=CONTENTS)
def test_micropdf417_has_one_to_four_columns_and_rows_of_two_modules(content: str) -> None:
    """38, 55, 82 or 99 modules wide, with a single dark one at the right edge (ISO/IEC 24728)."""
    rows = micro_pdf417(content).rows
    assert len(rows[0]) in {38, 55, 82, 99}
    assert all(rows[top] == rows[top + 1] for top in range(0, len(rows), 2))
    assert all(row.endswith(b"\x00\x01") for row in rows)


@pytest.mark.parametrize(
    ("character", "side", "levels"),
    [
        ("1", 13, {"M": 8, "L": 10}),
        ("1", 15, {"M": 18, "L": 23}),
        ("1", 17, {"Q": 21, "M": 30, "L": 35}),
        ("A", 13, {"M": 5, "L": 6}),
        ("A", 15, {"M": 11, "L": 14}),
        ("A", 17, {"Q": 13, "M": 18, "L": 21}),
        ("a", 15, {"M": 7, "L": 9}),
        ("a", 17, {"Q": 9, "M": 13, "L": 15}),
    ],
)
def test_micro_qr_is_the_smallest_at_its_highest_level(character: str, side: int, levels: dict[str, int]) -> None:
    """Capacities of M2 to M4 (ISO/IEC 18004 table 7): used if the one before is too small, at its best level."""
    least = {13: {"1": 6, "A": 1}, 15: {"1": 11, "A": 7, "a": 1}, 17: {"1": 24, "A": 15, "a": 10}}[side][character]
    for count in range(least, max(levels.values()) + 1):
        level = next(level for level, most in levels.items() if count <= most)
        symbol = micro_qr(character * count)
        assert (len(symbol.rows), _error_correction(symbol)) == (side, level)


def _error_correction(symbol: Matrix) -> str:
    margin = bytes(symbol.width)
    rows = [margin[:2] + row + margin[:2] for row in symbol.rows]
    grid = b"".join([margin, margin, *rows, margin, margin]).translate(bytes([255, 0]) + bytes(254))
    image = memoryview(grid).cast("B", (symbol.height, symbol.width))
    (found,) = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.AllMatrix))
    return found.ec_level


@pytest.mark.parametrize(
    ("encode", "most"),
    [
        (micro_qr, ["1" * 35, "A" * 21, "a" * 15]),
        (micro_pdf417, ["1" * 366, "A" * 250, '"a' * 75]),
    ],
)
def test_the_largest_contents_are_those_that_the_refusal_names(
    encode: Callable[[str], Matrix], most: list[str]
) -> None:
    """This much fits, a character more does not, and the refusal says how much would."""
    for content in most[:2]:
        encode(content)
        with pytest.raises(InvalidContent, match=f"{len(content) + 1} characters are too many") as refusal:
            encode(content + content[0])
        assert all(str(len(fitting)) in refusal.value.details["fits"] for fitting in most)
    encode(most[2])


def test_gs1_matrices_take_both_spellings() -> None:
    """Bracketed and raw element strings are one symbol."""
    for encode in (gs1_data_matrix, gs1_qr):
        assert encode("(01)09521234543213(10)LOT7") == encode("010952123454321310LOT7")
