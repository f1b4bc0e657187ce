import pytest
import zxingcpp
from hypothesis import given, strategies as st

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.qr import ErrorCorrection, qr
from tests.properties import examples

LEVELS: list[ErrorCorrection] = ["L", "M", "Q", "H"]


def _read(symbol: Matrix) -> zxingcpp.Barcode:
    margin = bytes(symbol.width)
    rows = [margin[:4] + row + margin[:4] for row in symbol.rows]
    grid = b"".join([margin] * 4 + rows + [margin] * 4).translate(bytes([255, 0]) + bytes(254))
    image = memoryview(grid).cast("B", (symbol.height, symbol.width))
    (found,) = zxingcpp.read_barcodes(image, is_pure=True, text_mode=zxingcpp.TextMode.Plain)
    return found


def test_a_symbol_is_square_with_a_quiet_zone_of_four_modules() -> None:
    """The smallest QR code has 21 modules a side and 29 with its quiet zone."""
    symbol = qr("A1")
    assert (symbol.quiet, symbol.width, symbol.height) == (4, 29, 29)
    assert {len(row) for row in symbol.rows} == {len(symbol.rows)} == {21}
    assert set(b"".join(symbol.rows)) == {0, 1}


def test_capacities_are_those_of_the_standard() -> None:
    """Version 40 holds 2953, 2331, 1663 and 1273 bytes (ISO/IEC 18004 table 7), and one more is refused."""
    assert qr("a" * 1273, "H").width == 177 + 8
    for level, capacity in zip(LEVELS, (2953, 2331, 1663, 1273), strict=True):
        with pytest.raises(InvalidContent, match=f"{capacity + 1} characters are too many") as refusal:
            qr("a" * (capacity + 1), level)
        assert refusal.value.details["rule"] == "length"
        assert f"less text than error_correction {level} holds, or a lower one" in refusal.value.details["fits"]


def test_nothing_is_no_content() -> None:
    """An empty QR code is refused."""
    with pytest.raises(InvalidContent, match="nothing to encode") as refusal:
        qr("")
    assert refusal.value.details["rule"] == "length"


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_is_exactly_the_one_asked_for(level: ErrorCorrection) -> None:
    """Spare room does not change the level that the client chose."""
    assert _read(qr("A", level)).ec_level == level


@examples(40, derandomize=True)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30))
def test_any_text_comes_back(text: str) -> None:
    """Text in any script is read back unchanged, and its bytes are UTF-8."""
    found = _read(qr(text))
    assert found.bytes.decode() == found.text == text


@pytest.mark.parametrize("text", ["é", "½±", "ｱｲｳ", "ああいう", "日本語"])
def test_regression_text_that_readers_took_for_another_encoding(text: str) -> None:
    """Latin-1 and UTF-8 bytes that are also valid Shift JIS or kanji come back unchanged."""
    assert _read(qr(text)).text == text


def test_only_text_beyond_ascii_carries_a_designator() -> None:
    """Version 1-L holds 17 bytes of plain text, but 16 after the twelve bits that declare UTF-8."""
    assert qr("a" * 17, "L").width == qr("é" * 8, "L").width == 21 + 8
    assert qr("é" * 8 + "a", "L").width == 25 + 8
