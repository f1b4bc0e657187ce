import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, strategies as st

from barcodesvc.codes.layout import CodePicture, ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey, QrKey
from barcodesvc.codes.svg import svg
from barcodesvc.drawing.glyphs import Line
from barcodesvc.drawing.shapes import BarImage, Drawing, Extent, MatrixImage, Text
from barcodesvc.symbols.registry import find_symbology
from tests.properties import examples

SVG = "{http://www.w3.org/2000/svg}"


def _parsed(document: str) -> ET.Element:
    return ET.fromstring(document)  # noqa: S314 - a document of our own, without a DTD


def _picture(text: str = "") -> CodePicture:
    image = BarImage(30, 0, 3, (2, 2, 1), (Extent(0, 30),) * 2)
    texts = (Text(Line((), text, 2.5), 12, 35, 40),) if text else ()
    return CodePicture(100, 50, Drawing(image, (), texts))


def test_a_document_is_one_dark_path_on_white() -> None:
    """All bars are one path without anti-aliasing, on a white background, in a picture of whole pixels."""
    root = _parsed(svg(_picture(), "AB"))
    ground, bars = root.findall(f"{SVG}path")
    assert {name: root.get(name) for name in ("width", "height", "viewBox", "role")} == {
        "width": "100",
        "height": "50",
        "viewBox": "0 0 100 50",
        "role": "img",
    }
    assert (ground.get("fill"), ground.get("d")) == ("#fff", "M0 0h100v50H0z")
    assert (bars.get("fill"), bars.get("shape-rendering")) == (None, "crispEdges")
    assert (bars.get("transform"), bars.get("d")) == ("scale(3 1)", "M10 0h2v30h-2zM14 0h1v30h-1z")


def test_a_matrix_is_one_path_of_strokes() -> None:
    """Rows are lines one module wide, in modules; moves over light modules are merged."""
    image = MatrixImage(20, 21, 10, (b"\1\0\0\1\1", bytes(5), b"\0\1\0\1\0"))
    _, path = _parsed(svg(CodePicture(60, 62, Drawing(image, (), ())), "")).findall(f"{SVG}path")
    assert (path.get("transform"), path.get("stroke")) == ("translate(20 26)scale(10)", "#000")
    assert path.get("d") == "M0 0h1m2 0h2M0 1M0 2m1 0h1m1 0h1"


def test_a_resolution_turns_pixels_into_millimetres() -> None:
    """With dots per inch the picture has its printed size; its content stays the same."""
    root = _parsed(svg(_picture(), "", 300))
    assert (root.get("width"), root.get("height")) == ("8.4667mm", "4.2333mm")
    assert root.get("viewBox") == "0 0 100 50"


@pytest.mark.parametrize("content", ["4006381333931", "AB-1234567890", "abcdefghijklm"])
def test_a_code_of_13_characters_takes_less_than_two_kilobytes(content: str) -> None:
    """Code 128 without text is small enough to be embedded in a page."""
    rendering = BarcodeKey(find_symbology("CODE128"), content, ModuleWidth(2), 100, with_text=False).render()
    assert len(rendering.svg) < 2000


def test_the_title_comes_first() -> None:
    """The content is the title, which assistive software reads aloud, and the first child (SVG 1.1, clause 5.4)."""
    root = _parsed(
        BarcodeKey(find_symbology("CODE39"), "A-1", ModuleWidth(1), 10, with_text=True).render().svg.decode()
    )
    assert (root[0].tag, root[0].text) == (f"{SVG}title", "A-1")


def test_captions_are_text() -> None:
    """Captions are text elements, fitted to their width, with their spaces kept."""
    (group,) = _parsed(svg(_picture("A  B"), "")).findall(f"{SVG}g")
    (text,) = group
    assert text.text == "A  B"
    assert text.attrib == {
        "x": "35",
        "y": "40",
        "font-size": "12",
        "textLength": "30",
        "lengthAdjust": "spacingAndGlyphs",
    }
    assert (group.get("font-family") or "").split(",")[0] == "FiraGO"
    assert group.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"


def test_no_text_no_group() -> None:
    """Without captions there is no text element."""
    assert _parsed(svg(_picture(), "")).findall(f"{SVG}g") == []


@examples(300, derandomize=True)
@given(st.text(st.characters(codec="utf-8")))
@example("<&>\"']]>")
@example("\ufffe\uffff\x00\x08\x0b\x1f\x7f\x85\U0010ffff")
def test_any_text_keeps_the_document_well_formed(text: str) -> None:
    """Markup is escaped, and characters that XML cannot contain become U+FFFD; everything else is kept."""
    root = _parsed(svg(_picture(f"-{text}-"), text))
    shown = "".join(c if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)
    shown = shown.replace("\r\n", "\n").replace("\r", "\n")
    assert (root[0].text or "") == shown
    assert root[3][0].text == f"-{shown}-"


@pytest.mark.parametrize("character", ["\ufffe", "\uffff", "<", "&", '"', "\u2028", "\U0001f600"])
def test_regression_product_information_with_strange_characters(character: str) -> None:
    """A description may contain characters that XML may not; the SVG of its QR code is still well-formed."""
    payload = json.dumps({"product_code": "A1", "description": character}, ensure_ascii=False)
    root = _parsed(QrKey(payload, "M", 300).render().svg.decode())
    assert (root[0].text or "").startswith('{"product_code": "A1"')
