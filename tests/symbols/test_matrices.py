from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from barcodesvc.symbols.matrices import aztec, data_matrix, pdf417
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


@pytest.mark.parametrize(("encode", "quiet"), [(data_matrix, 1), (aztec, 0), (pdf417, 2)])
def test_quiet_zones_are_those_of_the_standards(encode: object, quiet: int) -> None:
    """Data Matrix has one module, Aztec none, PDF417 two."""
    assert callable(encode)
    matrix = encode("AB-12345")
    assert isinstance(matrix, Matrix)
    assert matrix.quiet == quiet
