"""Every symbology is read back from PNG and SVG by an independent reader, over its alphabet and lengths."""

import json
from dataclasses import dataclass
from datetime import date
from operator import itemgetter

import pytest
import zxingcpp
from hypothesis import given, strategies as st
from PIL import Image
from zxingcpp import BarcodeFormat, BarcodeFormats

from barcodesvc.codes.layout import normal_width
from barcodesvc.codes.rendering import BarcodeKey, QrKey
from barcodesvc.gs1.gtin import check_digit
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.codes.pictures import png_picture, svg_picture
from tests.properties import examples
from tests.symbols.contents import ASCII, CODE39, digits, text

CODABAR = "0123456789-$:/.+"
GS1_FIXED = ("01", "17", "3103")
GS1_CHARACTERS = ASCII.translate({ord(character): None for character in " #$@[\\]^`{|}~("})

Content = tuple[str, str]
"""The requested content, and a reader's text for it."""


def _text(alphabet: str, least: int = 1, most: int = 64) -> st.SearchStrategy[str]:
    return text(alphabet, least, most).filter(lambda content: content == content.strip(" "))


def _same(alphabet: str) -> st.SearchStrategy[Content]:
    return _text(alphabet).map(lambda content: (content, content))


def _gtin(length: int, prefix: str = "") -> st.SearchStrategy[Content]:
    """Build GTINs without their check digit, which the reader shows and verifies."""
    bodies = digits(length - 1 - len(prefix)).map(lambda number: prefix + number)
    return bodies.map(lambda body: (body, body + check_digit(body)))


def _pairs() -> st.SearchStrategy[Content]:
    """Build even numbers of digits, at least six, the minimum that the reader recognises."""
    return st.integers(3, 32).flatmap(lambda pairs: digits(2 * pairs)).map(lambda number: (number, number))


def _codabar() -> st.SearchStrategy[Content]:
    """Build numbers of at least two characters, the minimum that the reader recognises."""
    letter = st.sampled_from("ABCDabcd")
    framed = st.builds("{}{}{}".format, letter, _text(CODABAR, 2, 62), letter).map(lambda c: (c, c.upper()))
    return framed | _text(CODABAR, 2).map(lambda number: (number, f"A{number}A"))


def _gs1(most: int = 48) -> st.SearchStrategy[Content]:
    element = st.one_of(
        st.tuples(st.just("01"), _gtin(14).map(lambda content: content[1])),
        st.tuples(st.just("17"), st.dates(date(2000, 1, 1), date(2049, 12, 31)).map("{:%y%m%d}".format)),
        st.tuples(st.just("3103"), digits(6)),
        st.tuples(st.sampled_from(["10", "21"]), _text(GS1_CHARACTERS, 1, 20)),
        st.tuples(st.just("30"), _text("0123456789", 1, 8)),
        st.tuples(st.just("240"), _text(GS1_CHARACTERS, 1, 30)),
    )
    elements = st.lists(element, min_size=1, max_size=4, unique_by=itemgetter(0))
    return elements.map(_gs1_content).filter(lambda content: len(content[1]) <= most)


def _gs1_content(elements: list[tuple[str, str]]) -> Content:
    carried = "".join(ai + value + ("" if ai in GS1_FIXED else "\x1d") for ai, value in elements)
    return "".join(f"({ai}){value}" for ai, value in elements), carried.removesuffix("\x1d")


def _pzn() -> st.SearchStrategy[Content]:
    assigned = digits(7).filter(lambda number: _pzn_sum(number) < 10)
    return assigned.map(lambda number: (number, f"-{number}{_pzn_sum(number)}"))


def _pzn_sum(number: str) -> int:
    return sum(weight * int(digit) for weight, digit in enumerate(number, start=1)) % 11


def _issn() -> st.SearchStrategy[Content]:
    numbers = digits(7).map(lambda number: (number, f"977{number}00"))
    return numbers.map(lambda number: (f"{number[0][:4]}-{number[0][4:]}", number[1] + check_digit(number[1])))


def _isbn10() -> st.SearchStrategy[Content]:
    """Build numbers without their check character, which the symbol does not contain."""
    return digits(9).map(lambda number: (number, f"978{number}" + check_digit(f"978{number}")))


def _upce() -> st.SearchStrategy[Content]:
    """Build numbers with zeros before the last digit, or after the third one, and the UPC-A that they represent."""
    late = st.tuples(st.sampled_from("01"), digits(4), st.sampled_from("123456789"), st.sampled_from("56789"))
    late_upca = late.map(lambda parts: ("".join(parts), "".join(parts[:3]) + "0000" + parts[3]))
    early = st.tuples(st.sampled_from("01"), digits(2), digits(3), st.sampled_from("012"))
    early_upca = early.map(lambda parts: ("".join(parts), f"{parts[0]}{parts[1]}{parts[3]}0000{parts[2]}"))
    return (late_upca | early_upca).map(lambda number: (number[0], f"0{number[1]}{check_digit(number[1])}"))


def _databar(prefix: str = "") -> st.SearchStrategy[Content]:
    return _gtin(14, prefix).map(lambda gtin: (gtin[0], f"01{gtin[1]}"))


def _with_add_on(numbers: st.SearchStrategy[Content]) -> st.SearchStrategy[Content]:
    """Build numbers with an add-on, which the reader appends."""
    add_ons = digits(2) | digits(5)
    return st.tuples(numbers, add_ons).map(lambda both: (f"{both[0][0]}+{both[1]}", both[0][1] + both[1]))


@dataclass(frozen=True)
class Specimen:
    """Contents of a symbology, the symbology identifiers and the format that the reader reports for them.

    `formats` restricts a reader that would report a relative: EAN-13 for UPC-A, and the extension for Code 39 that
    happens to contain a pair such as `+A`; in the middle of a QR code it may see two digits of ITF. Code 39 that
    happens to close modulo 43 is `]A1`, and ITF of 14 digits that close modulo 10 is `]I1`. `least_module` is the
    minimum number of pixels per module that the reader needs.
    """

    contents: st.SearchStrategy[Content]
    identifiers: str
    reported: BarcodeFormat
    formats: BarcodeFormat = BarcodeFormat.AllReadable
    least_module: int = 1


SPECIMENS = {
    "CODE128": Specimen(_same(ASCII) | _same("0123456789") | _same("0123456789-A"), "]C0", BarcodeFormat.Code128),
    "CODE128A": Specimen(_same(ASCII[:64]), "]C0", BarcodeFormat.Code128),
    "CODE128B": Specimen(_same(ASCII), "]C0", BarcodeFormat.Code128),
    "CODE128C": Specimen(_pairs(), "]C0", BarcodeFormat.Code128),
    "CODE39": Specimen(_same(CODE39), "]A0 ]A1", BarcodeFormat.Code39, BarcodeFormat.Code39Std),
    "CODE93": Specimen(_same(CODE39), "]G0", BarcodeFormat.Code93),
    "ITF": Specimen(_pairs(), "]I0 ]I1", BarcodeFormat.ITF),
    "EAN13": Specimen(_gtin(13), "]E0", BarcodeFormat.EAN13),
    "EAN8": Specimen(_gtin(8), "]E4", BarcodeFormat.EAN8),
    "UPCA": Specimen(_gtin(12).map(lambda upc: (upc[1], f"0{upc[1]}")), "]E0", BarcodeFormat.UPCA, BarcodeFormat.UPCA),
    "UPCE": Specimen(_upce(), "]E0", BarcodeFormat.UPCE),
    "JAN": Specimen(_gtin(13, "45") | _gtin(13, "49"), "]E0", BarcodeFormat.EAN13),
    "ITF14": Specimen(_gtin(14), "]I1", BarcodeFormat.ITF),
    "CODABAR": Specimen(_codabar(), "]F0", BarcodeFormat.Codabar),
    "GS1-128": Specimen(_gs1(), "]C1", BarcodeFormat.Code128),
    "PZN": Specimen(_pzn(), "]A0", BarcodeFormat.PZN),
    "ISBN13": Specimen(_gtin(13, "978") | _gtin(13, "979"), "]E0", BarcodeFormat.EAN13),
    "ISBN10": Specimen(_isbn10(), "]E0", BarcodeFormat.EAN13),
    "ISSN": Specimen(_issn(), "]E0", BarcodeFormat.EAN13),
    "DATABAROMNI": Specimen(_databar(), "]e0", BarcodeFormat.DataBarOmni),
    "DATABARSTACKED": Specimen(_databar(), "]e0", BarcodeFormat.DataBarStk),
    "DATABARSTACKEDOMNI": Specimen(_databar(), "]e0", BarcodeFormat.DataBarStk),
    "DATABARLIMITED": Specimen(_databar("0") | _databar("1"), "]e0", BarcodeFormat.DataBarLtd),
    "DATABAREXPANDED": Specimen(_gs1(26), "]e0", BarcodeFormat.DataBarExp),
    "DATABAREXPANDEDSTACKED": Specimen(
        _gs1(26).filter(lambda content: len(content[1]) > 18),  # shorter ones have one row and are DataBar Expanded
        "]e0",
        BarcodeFormat.DataBarExpStk,
    ),
    "QR": Specimen(_same(ASCII), "]Q1", BarcodeFormat.QRCode, BarcodeFormat.AllMatrix),
    "DATAMATRIX": Specimen(_same(ASCII), "]d1", BarcodeFormat.DataMatrix, BarcodeFormat.AllMatrix),
    "AZTEC": Specimen(_same(ASCII), "]z0", BarcodeFormat.Aztec, BarcodeFormat.AllMatrix),
    "PDF417": Specimen(_same(ASCII), "]L2", BarcodeFormat.PDF417, BarcodeFormat.AllMatrix),
    "RMQR": Specimen(_same(ASCII), "]Q1", BarcodeFormat.RMQRCode, BarcodeFormat.AllMatrix),
    "MICROQR": Specimen(
        _text(ASCII, 1, 15).map(lambda content: (content, content)),
        "]Q1",
        BarcodeFormat.MicroQRCode,
        BarcodeFormat.AllMatrix,
    ),
    "MICROPDF417": Specimen(_same(ASCII), "]L2", BarcodeFormat.MicroPDF417, BarcodeFormat.AllMatrix, least_module=3),
    "GS1DATAMATRIX": Specimen(_gs1(), "]d2", BarcodeFormat.DataMatrix, BarcodeFormat.AllMatrix),
    "GS1QR": Specimen(_gs1(), "]Q3", BarcodeFormat.QRCode, BarcodeFormat.AllMatrix),
}

WITH_ADD_ON = {
    "EAN13": Specimen(_with_add_on(_gtin(13)), "]E3", BarcodeFormat.EAN13),
    "UPCA": Specimen(_with_add_on(_gtin(12).map(lambda upc: (upc[1], f"0{upc[1]}"))), "]E3", BarcodeFormat.EAN13),
    "UPCE": Specimen(_with_add_on(_upce()), "]E3", BarcodeFormat.UPCE),
    "JAN": Specimen(_with_add_on(_gtin(13, "49")), "]E3", BarcodeFormat.EAN13),
    "ISBN13": Specimen(_with_add_on(_gtin(13, "978")), "]E3", BarcodeFormat.EAN13),
    "ISBN10": Specimen(_with_add_on(_isbn10()), "]E3", BarcodeFormat.EAN13),
    "ISSN": Specimen(_with_add_on(_issn()), "]E3", BarcodeFormat.EAN13),
}

NOT_READ_HERE = {
    "EAN2": "the reader reads add-ons only next to a symbol; tests/symbols compares them with zint",
    "EAN5": "as EAN2",
    "MSI": "the reader does not know it; tests/symbols compares it with zint",
    "PHARMACODE": "as MSI",
}

PAYLOADS = st.builds(
    lambda code, description: json.dumps(
        {"product_code": code, "description": description, "timestamp": "2023-11-14T22:13:20.000Z"},
        ensure_ascii=False,
        separators=(",", ":"),
    ),
    _text(ASCII),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=80),
)


def _scanned(
    picture: Image.Image,
    formats: BarcodeFormat,
    add_on: zxingcpp.EanAddOnSymbol = zxingcpp.EanAddOnSymbol.Ignore,
) -> zxingcpp.Barcode:
    """Return the one symbol in a picture; large stacked ones are found once in either direction."""
    found, *again = zxingcpp.read_barcodes(
        picture.convert("L"),
        formats=BarcodeFormats(formats),
        text_mode=zxingcpp.TextMode.Plain,
        ean_add_on_symbol=add_on,
    )
    assert all((other.text, other.format) == (found.text, found.format) for other in again)
    return found


def test_every_symbology_has_a_specimen() -> None:
    """A new symbology must be read back here, or have a reason why not."""
    assert sorted([*SPECIMENS, *NOT_READ_HERE]) == sorted(entry.name for entry in SYMBOLOGIES)


@pytest.mark.parametrize("name", SPECIMENS)
@examples(60, derandomize=True)
@given(look=st.tuples(st.integers(1, 10), st.integers(10, 60), st.booleans()), data=st.data())
def test_read_back(name: str, look: tuple[int, int, bool], data: st.DataObject) -> None:
    """PNG and SVG contain the requested content in the requested symbology, at any size."""
    specimen = SPECIMENS[name]
    content, expected = data.draw(specimen.contents)
    module = max(look[0], specimen.least_module)
    rendering = BarcodeKey(find_symbology(name), content, normal_width(module), *look[1:]).render()
    for picture in (png_picture(rendering), svg_picture(rendering)):
        found = _scanned(picture, specimen.formats)
        assert found.text == expected
        assert found.symbology_identifier in specimen.identifiers.split()
        assert found.format == specimen.reported


@pytest.mark.parametrize("name", WITH_ADD_ON)
@examples(30, derandomize=True)
@given(look=st.tuples(st.integers(1, 10), st.integers(40, 120), st.booleans()), data=st.data())
def test_read_back_with_an_add_on(name: str, look: tuple[int, int, bool], data: st.DataObject) -> None:
    """A reader that requires an add-on reads symbol and add-on together from PNG and SVG."""
    specimen = WITH_ADD_ON[name]
    content, expected = data.draw(specimen.contents)
    rendering = BarcodeKey(find_symbology(name), content, normal_width(look[0]), *look[1:]).render()
    for picture in (png_picture(rendering), svg_picture(rendering)):
        found = _scanned(picture, specimen.formats, zxingcpp.EanAddOnSymbol.Require)
        assert (found.text, found.symbology_identifier) == (expected, specimen.identifiers)
        assert found.format == specimen.reported


@examples(60, derandomize=True)
@given(name=st.sampled_from(sorted(SPECIMENS)), spare=st.integers(0, 1500), data=st.data())
def test_read_back_at_any_total_width(name: str, spare: int, data: st.DataObject) -> None:
    """Any maximum width of the image, from the smallest possible one, gives a readable symbol."""
    specimen = SPECIMENS[name]
    content, expected = data.draw(specimen.contents)
    symbology = find_symbology(name)
    width = specimen.least_module * symbology.encode(content).width + spare
    found = _scanned(
        png_picture(BarcodeKey(symbology, content, normal_width(width), 30, with_text=True).render()), specimen.formats
    )
    assert (found.text, found.format) == (expected, specimen.reported)


@examples(30, derandomize=True)
@given(payload=PAYLOADS, level=st.sampled_from(["L", "M", "Q", "H"]), spare=st.integers(0, 400))
def test_read_back_of_product_information(payload: str, level: ErrorCorrection, spare: int) -> None:
    """JSON in any script is read from PNG and SVG at every error correction and size."""
    rendering = QrKey(payload, level, qr(payload, level).width + spare).render()
    for picture in (png_picture(rendering), svg_picture(rendering)):
        found = _scanned(picture, BarcodeFormat.AllMatrix)
        assert found.text == payload
        assert (found.format, found.ec_level) == (BarcodeFormat.QRCode, level)
