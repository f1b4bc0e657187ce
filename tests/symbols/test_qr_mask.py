"""The mask of a QR code is the one that segno itself would choose, found without segno's own scoring."""

from __future__ import annotations

import pytest
import segno
from hypothesis import given, strategies as st

from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.qr_mask import MASKS, best_mask, masked
from tests.properties import examples
from tests.sweeps import sweep

LEVELS: list[ErrorCorrection] = ["L", "M", "Q", "H"]
TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=120)
LATER_VERSIONS = {7: 120, 10: 200, 14: 350, 20: 650, 26: 1050, 33: 1600, 40: 2300}
"""Versions and a number of characters that requires them, at level M; the first has version information."""


def _rows(code: segno.QRCode) -> tuple[bytes, ...]:
    return tuple(bytes(row) for row in code.matrix)


@examples(150, derandomize=True)
@given(TEXTS | st.text("0123456789", min_size=1, max_size=200), st.sampled_from(LEVELS))
def test_a_symbol_is_segnos_own(content: str, level: ErrorCorrection) -> None:
    """Module for module, the mask and its format information included."""
    assert qr(content, level).rows == _rows(segno.make_qr(content, error=level, boost_error=False))


@pytest.mark.parametrize(("version", "length"), LATER_VERSIONS.items())
def test_larger_versions_are_segnos_own(version: int, length: int) -> None:
    """Version information, which begins with version 7, does not count in the choice."""
    content = "".join(chr(33 + number * number % 89) for number in range(length))
    expected = segno.make_qr(content, error="M", boost_error=False)
    assert expected.version == version
    assert qr(content, "M").rows == _rows(expected)


@examples(20, derandomize=True)
@given(st.text(min_size=1, max_size=40).filter(lambda text: not text.isascii() and text.isprintable()))
def test_other_scripts_get_segnos_mask_too(content: str) -> None:
    """Bytes after an ECI designator are masked like any other data."""
    made = segno.make_qr(content, error="M", boost_error=False, encoding="utf-8", eci=True, mode="byte")
    assert qr(content, "M").rows == _rows(made)


@sweep("level", LEVELS)
@sweep("version", [1, 2, 6, 7, 14])
def test_a_mask_put_on_afterwards_is_the_one_that_segno_draws(version: int, level: ErrorCorrection) -> None:
    """All eight of them, with the format information that names them, whatever the symbol contains."""
    drawn = [segno.make_qr("AB-17", version=version, error=level, boost_error=False, mask=mask) for mask in MASKS]
    assert [masked(drawn[0], mask) for mask in MASKS] == [_rows(code) for code in drawn]


@sweep("version", range(1, 41))
def test_a_mask_can_be_put_on_every_version(version: int) -> None:
    """One mask and level each; the test before covers the others."""
    level, mask = LEVELS[version % 4], version % 7 + 1
    zero, other = (
        segno.make_qr("AB-17", version=version, error=level, boost_error=False, mask=each) for each in (0, mask)
    )
    assert masked(zero, mask) == _rows(other)


def test_every_mask_is_the_best_for_some_symbol() -> None:
    """All eight masks are covered."""
    codes = [segno.make_qr(f"AB-{number:05}", error="M", boost_error=False, mask=0) for number in range(400)]
    assert {best_mask(code) for code in codes} == set(MASKS)
