"""Every symbology is read back from PNG and SVG by an independent reader, over its alphabet and lengths."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import zxingcpp
from hypothesis import given, settings, strategies as st
from PIL import Image
from zxingcpp import BarcodeFormat, BarcodeFormats

from barcodesvc.gtin import check_digit
from barcodesvc.render.rendering import BarcodeKey, QrKey, Rendering
from barcodesvc.symbols.qr import ErrorCorrection, qr
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology

Picture = Callable[[Rendering], Image.Image]

ASCII = "".join(map(chr, range(32, 127)))
CODE39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -.$/+%"
CODABAR = "0123456789-$:/.+"
GS1_FIXED = ("01", "17", "3103")
GS1_CHARACTERS = ASCII.translate({ord(character): None for character in " #$@[\\]^`{|}~("})

Content = tuple[str, str]
"""What is asked for and what a reader makes of it."""


def _text(alphabet: str, least: int = 1, most: int = 64) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=least, max_size=most).filter(lambda text: text == text.strip(" "))


def _same(alphabet: str) -> st.SearchStrategy[Content]:
    return _text(alphabet).map(lambda content: (content, content))


def _digits(length: int) -> st.SearchStrategy[str]:
    return _text("0123456789", length, length)


def _gtin(length: int, prefix: str = "") -> st.SearchStrategy[Content]:
    """Build GTINs without their check digit, which the reader shows and verifies."""
    bodies = _digits(length - 1 - len(prefix)).map(lambda digits: prefix + digits)
    return bodies.map(lambda body: (body, body + check_digit(body)))


def _pairs() -> st.SearchStrategy[Content]:
    """Build even numbers of digits, of at least six, the least that the reader takes for a symbol."""
    return st.integers(3, 32).flatmap(lambda pairs: _digits(2 * pairs)).map(lambda digits: (digits, digits))


def _codabar() -> st.SearchStrategy[Content]:
    """Build numbers of at least two characters, the least that the reader takes for a symbol."""
    letter = st.sampled_from("ABCDabcd")
    framed = st.builds("{}{}{}".format, letter, _text(CODABAR, 2, 62), letter).map(lambda c: (c, c.upper()))
    return framed | _text(CODABAR, 2).map(lambda number: (number, f"A{number}A"))


def _gs1() -> st.SearchStrategy[Content]:
    element = st.one_of(
        st.tuples(st.just("01"), _gtin(14).map(lambda content: content[1])),
        st.tuples(st.sampled_from(["17"]), _digits(6)),
        st.tuples(st.just("3103"), _digits(6)),
        st.tuples(st.sampled_from(["10", "21"]), _text(GS1_CHARACTERS, 1, 20)),
        st.tuples(st.sampled_from(["30", "37"]), _text("0123456789", 1, 8)),
        st.tuples(st.just("240"), _text(GS1_CHARACTERS, 1, 30)),
    )
    return st.lists(element, min_size=1, max_size=4).map(_gs1_content).filter(lambda content: len(content[1]) <= 48)


def _gs1_content(elements: list[tuple[str, str]]) -> Content:
    carried = "".join(ai + value + ("" if ai in GS1_FIXED else "\x1d") for ai, value in elements)
    return "".join(f"({ai}){value}" for ai, value in elements), carried.removesuffix("\x1d")


def _pzn() -> st.SearchStrategy[Content]:
    assigned = _digits(7).filter(lambda digits: _pzn_sum(digits) < 10)
    return assigned.map(lambda digits: (digits, f"-{digits}{_pzn_sum(digits)}"))


def _pzn_sum(digits: str) -> int:
    return sum(weight * int(digit) for weight, digit in enumerate(digits, start=1)) % 11


def _issn() -> st.SearchStrategy[Content]:
    numbers = _digits(7).map(lambda digits: (digits, f"977{digits}00"))
    return numbers.map(lambda number: (f"{number[0][:4]}-{number[0][4:]}", number[1] + check_digit(number[1])))


@dataclass(frozen=True)
class Specimen:
    """Contents of a symbology, the symbology identifiers and the format that the reader reports for them.

    `formats` narrows the reader where it reports a relative otherwise: EAN-13 for UPC-A, and the extension for Code 39
    that happens to hold a pair such as `+A`; in the middle of a QR code it may see two digits of ITF. Code 39 that
    happens to close modulo 43 is `]A1`, and ITF of 14 digits that close modulo 10 is `]I1`.
    """

    contents: st.SearchStrategy[Content]
    identifiers: str
    reported: BarcodeFormat
    formats: BarcodeFormat = BarcodeFormat.AllReadable


SPECIMENS = {
    "CODE128": Specimen(_same(ASCII) | _same("0123456789") | _same("0123456789-A"), "]C0", BarcodeFormat.Code128),
    "CODE39": Specimen(_same(CODE39), "]A0 ]A1", BarcodeFormat.Code39, BarcodeFormat.Code39Std),
    "CODE93": Specimen(_same(CODE39), "]G0", BarcodeFormat.Code93),
    "ITF": Specimen(_pairs(), "]I0 ]I1", BarcodeFormat.ITF),
    "EAN13": Specimen(_gtin(13), "]E0", BarcodeFormat.EAN13),
    "EAN8": Specimen(_gtin(8), "]E4", BarcodeFormat.EAN8),
    "UPCA": Specimen(_gtin(12).map(lambda upc: (upc[1], f"0{upc[1]}")), "]E0", BarcodeFormat.UPCA, BarcodeFormat.UPCA),
    "ITF14": Specimen(_gtin(14), "]I1", BarcodeFormat.ITF),
    "CODABAR": Specimen(_codabar(), "]F0", BarcodeFormat.Codabar),
    "GS1-128": Specimen(_gs1(), "]C1", BarcodeFormat.Code128),
    "PZN": Specimen(_pzn(), "]A0", BarcodeFormat.PZN),
    "ISBN13": Specimen(_gtin(13, "978") | _gtin(13, "979"), "]E0", BarcodeFormat.EAN13),
    "ISSN": Specimen(_issn(), "]E0", BarcodeFormat.EAN13),
    "QR": Specimen(_same(ASCII), "]Q1", BarcodeFormat.QRCode, BarcodeFormat.AllMatrix),
    "DATAMATRIX": Specimen(_same(ASCII), "]d1", BarcodeFormat.DataMatrix, BarcodeFormat.AllMatrix),
    "AZTEC": Specimen(_same(ASCII), "]z0", BarcodeFormat.Aztec, BarcodeFormat.AllMatrix),
    "PDF417": Specimen(_same(ASCII), "]L2", BarcodeFormat.PDF417, BarcodeFormat.AllMatrix),
    "RMQR": Specimen(_same(ASCII), "]Q1", BarcodeFormat.RMQRCode, BarcodeFormat.AllMatrix),
    "GS1DATAMATRIX": Specimen(_gs1(), "]d2", BarcodeFormat.DataMatrix, BarcodeFormat.AllMatrix),
    "GS1QR": Specimen(_gs1(), "]Q3", BarcodeFormat.QRCode, BarcodeFormat.AllMatrix),
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


def _scanned(picture: Image.Image, formats: BarcodeFormat) -> zxingcpp.Barcode:
    (found,) = zxingcpp.read_barcodes(
        picture.convert("L"), formats=BarcodeFormats(formats), text_mode=zxingcpp.TextMode.Plain
    )
    return found


def test_every_symbology_has_a_specimen() -> None:
    """No symbology can be added without being read back here."""
    assert set(SPECIMENS) == {entry.name for entry in SYMBOLOGIES}


@pytest.mark.parametrize("name", SPECIMENS)
@settings(deadline=None, max_examples=60, derandomize=True)
@given(look=st.tuples(st.integers(1, 10), st.integers(10, 60), st.booleans()), data=st.data())
def test_read_back(
    name: str, look: tuple[int, int, bool], data: st.DataObject, png_picture: Picture, svg_picture: Picture
) -> None:
    """PNG and SVG hold the content that was asked for, in the symbology that was asked for, whatever the size."""
    specimen = SPECIMENS[name]
    content, expected = data.draw(specimen.contents)
    rendering = BarcodeKey(find_symbology(name), content, *look).render()
    for picture in (png_picture(rendering), svg_picture(rendering)):
        found = _scanned(picture, specimen.formats)
        assert found.text == expected
        assert found.symbology_identifier in specimen.identifiers.split()
        assert found.format == specimen.reported


@settings(deadline=None, max_examples=60, derandomize=True)
@given(name=st.sampled_from(sorted(SPECIMENS)), spare=st.integers(0, 1500), data=st.data())
def test_read_back_at_any_total_width(name: str, spare: int, data: st.DataObject, png_picture: Picture) -> None:
    """A greatest width of the image, from the least possible one on, gives a symbol that reads."""
    specimen = SPECIMENS[name]
    content, expected = data.draw(specimen.contents)
    symbology = find_symbology(name)
    width = symbology.encode(content).width + spare
    found = _scanned(png_picture(BarcodeKey(symbology, content, width, 30, with_text=True).render()), specimen.formats)
    assert (found.text, found.format) == (expected, specimen.reported)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(payload=PAYLOADS, level=st.sampled_from(["L", "M", "Q", "H"]), spare=st.integers(0, 400))
def test_read_back_of_product_information(
    payload: str, level: ErrorCorrection, spare: int, png_picture: Picture, svg_picture: Picture
) -> None:
    """JSON in any script comes back from PNG and SVG at every error correction and size."""
    rendering = QrKey(payload, level, qr(payload, level).width + spare).render()
    for picture in (png_picture(rendering), svg_picture(rendering)):
        found = _scanned(picture, BarcodeFormat.AllMatrix)
        assert found.text == payload
        assert (found.format, found.ec_level) == (BarcodeFormat.QRCode, level)


@pytest.mark.parametrize("name", ["CODE128", "CODE39"])
def test_the_longest_symbols_read_at_one_pixel_a_module(name: str, png_picture: Picture) -> None:
    """64 characters are read even where a bar is one pixel wide and the text is drawn small."""
    content = "ABCDEFGH/1234567" * 4
    rendering = BarcodeKey(find_symbology(name), content, 1, 10, with_text=True).render()
    assert _scanned(png_picture(rendering), SPECIMENS[name].formats).text == content
