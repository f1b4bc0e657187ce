"""How much a symbology holds, at which level and encoding, and what a refusal says of content that is longer."""

import pytest
import zxingcpp

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.modules import Matrix
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import find_symbology
from tests.sweeps import sweep

ARTICLE = "(01)09521234543213(91)"
LEVELS: list[ErrorCorrection] = ["L", "M", "Q", "H"]


@sweep("name", ["DATABAREXPANDED", "DATABAREXPANDEDSTACKED"])
@sweep(("head", "character", "most"), [(ARTICLE, "1", 56), ("(91)", "1", 68), ("(91)", "A", 39), ("(91)", '"', 28)])
def test_expanded_databar_holds_what_the_refusal_says(name: str, head: str, character: str, most: int) -> None:
    """74 digits that begin with an article, 70 others, 41 capitals, 30 of the rest (ISO/IEC 24724); no more."""
    encode = find_symbology(name).encode
    encode(head + character * most)
    with pytest.raises(InvalidContent, match="characters are too many") as refusal:
        encode(head + character * (most + 1))
    assert refusal.value.details["rule"] == "length"
    assert "41 capitals" in refusal.value.details["fits"]


@sweep(
    ("name", "content"),
    [("MICROQR", "1" * 35), ("MICROQR", "A" * 21), ("MICROPDF417", "1" * 366), ("MICROPDF417", "A" * 250)],
)
def test_the_largest_contents_are_those_that_the_refusal_names(name: str, content: str) -> None:
    """This much fits, a character more does not, and the refusal says how much would."""
    find_symbology(name).encode(content)
    with pytest.raises(InvalidContent, match=f"{len(content) + 1} characters are too many") as refusal:
        find_symbology(name).encode(content + content[0])
    assert str(len(content)) in refusal.value.details["fits"]


def test_capacities_of_qr_codes_are_those_of_the_standard() -> None:
    """Version 40 holds 2953, 2331, 1663 and 1273 bytes (ISO/IEC 18004 table 7), and one more is refused."""
    assert qr("a" * 1273, "H").width == 177 + 8
    for level, capacity in zip(LEVELS, (2953, 2331, 1663, 1273), strict=True):
        with pytest.raises(InvalidContent, match=f"{capacity + 1} characters are too many") as refusal:
            qr("a" * (capacity + 1), level)
        assert refusal.value.details["rule"] == "length"
        assert f"less text than error_correction {level} holds, or a lower one" in refusal.value.details["fits"]


def test_only_text_beyond_ascii_carries_a_designator() -> None:
    """Version 1-L holds 17 bytes of plain text, but 16 after the twelve bits that declare UTF-8."""
    assert qr("a" * 17, "L").width == qr("é" * 8, "L").width == 21 + 8
    assert qr("é" * 8 + "a", "L").width == 25 + 8


def _read(symbol: Matrix) -> zxingcpp.Barcode:
    margin = bytes(symbol.width)
    rows = [margin[:4] + row + margin[:4] for row in symbol.rows]
    grid = b"".join([margin] * 4 + rows + [margin] * 4).translate(bytes([255, 0]) + bytes(254))
    image = memoryview(grid).cast("B", (symbol.height, symbol.width))
    (found,) = zxingcpp.read_barcodes(image, is_pure=True, text_mode=zxingcpp.TextMode.Plain)
    return found


@pytest.mark.parametrize("text", ["A", "é"])
def test_the_level_of_a_qr_code_is_exactly_the_one_asked_for(text: str) -> None:
    """Spare room does not change the level that the client chose."""
    assert [_read(qr(text, level)).ec_level for level in LEVELS] == LEVELS


@pytest.mark.parametrize("text", ["é", "½±", "ｱｲｳ", "ああいう", "日本語"])
def test_regression_text_that_readers_took_for_another_encoding(text: str) -> None:
    """Latin-1 and UTF-8 bytes that are also valid Shift JIS or kanji come back unchanged."""
    assert _read(qr(text)).text == text


@pytest.mark.parametrize(("name", "position"), [("CODE128", 102), ("CODE93", 124), ("RMQR", 220)])
def test_text_that_no_size_holds_is_refused_from_the_first_character_too_many(name: str, position: int) -> None:
    """A payload of a label is longer than these symbologies hold; the library's own exception does not come out."""
    encode = find_symbology(name).encode
    assert encode("A" * (position - 1)).width > 0
    with pytest.raises(InvalidContent, match=f"500 characters are too many, from position {position} on") as refusal:
        encode("A" * 500)
    assert refusal.value.details["rule"] == "length"


def test_a_gs1_symbol_holds_48_characters_of_data() -> None:
    """Brackets do not count, separators do (GS1 General Specifications 5.4.1)."""
    gs1 = find_symbology("GS1-128")
    too_many = "49 characters of data, separators included, the first too many is at position 53; it takes 48"
    gs1.encode(f"(90){'A' * 30}(10){'B' * 13}")
    with pytest.raises(InvalidContent, match=too_many) as refusal:
        gs1.encode(f"(90){'A' * 30} (10){'B' * 14}")
    assert refusal.value.details["rule"] == "length"


@pytest.mark.parametrize(
    ("content", "position"),
    [
        (f"90{'A' * 30}\x1d10{'B' * 14}", 49),
        (f"\x1d90{'A' * 30}\x1d\x1d10{'B' * 14}", 51),
        (f"(90){'B' * 30}(10){'B' * 14}", 52),
        (f"(90){'A' * 30}(10){')' * 14}", 52),
        (f"(90))({'A' * 28}(10)({'B' * 13}", 52),
        (f"(90){'A' * 30}(10){'B' * 13}(21)5", 53),
    ],
)
def test_the_first_character_too_many_of_a_gs1_symbol(content: str, position: int) -> None:
    """Its position counts in the content as sent, with brackets, spaces and superfluous separators."""
    with pytest.raises(InvalidContent, match=f"at position {position};"):
        find_symbology("GS1-128").encode(content)
