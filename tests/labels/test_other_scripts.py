"""Sheets with text in other scripts than Western Europe's: their appearance, the text copied from them, their size."""

import io
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from unicodedata import normalize

import pymupdf_fonts
import pypdfium2
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTCollection, TTFont
from PIL import ImageChops, ImageDraw, ImageFont, ImageOps, ImageStat
from PIL.Image import Image, new

from barcodesvc.drawing.faces import Face, open_face
from barcodesvc.errors import InvalidContent
from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheet_layout import lay_out
from barcodesvc.labels.sheets import PageSize, Sheet, page_size, simple_sheet
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Bars

Encoder = Callable[[str], Bars]
Renderer = Callable[[bytes], list[Image]]

TEXTS = [
    "Ανοξείδωτη βίδα 8",
    "Болт 8/40, 100 шт.",
    "Bu lông lục giác Ổ Ặ",
    "Zażółć gęślą jaźń",
    "İğne Şiş",
    "בורג נירוסטה שחור",
    "مسمار من الفولاذ السلام",
    "الله لا إله",
    "x̄ q̇ ӝ",
    "हिन्दी क्षत्रिय",
    "น้ำดื่ม 500 มล.",
    "5 ⌀ ≤ 6 → ★ ✓ №",
    "file Łffi",
]
CJK_FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
A4 = simple_sheet(page_size("A4"), 3, None)


def _pdf(code128: Encoder, texts: list[str], face: Face | None = None) -> bytes:
    labels = [Label(code128(f"AB-{at}"), f"AB-{at}", (text,)) for at, text in enumerate(texts)]
    return write_pdf(lay_out(labels, A4, Layout(), None, Typesetter(face)))


def _ink(picture: Image) -> Image:
    """Return the part of a picture that is not white."""
    return picture.crop(ImageOps.invert(picture).getbbox())


def _copied(pdf: bytes) -> list[str]:
    """Return the lines of the first page, without those of the codes."""
    with pypdfium2.PdfDocument(pdf) as document:
        lines = document[0].get_textpage().get_text_range().split("\r\n")
    return [line for line in lines if not line.startswith("AB-")]


@pytest.fixture(scope="module")
def rectangles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a font in the Compact Font Format whose few Chinese characters are rectangles."""
    folder = tmp_path_factory.mktemp("fonts")
    names = [".notdef", "space", "tea", "leaf", "ellipsis"]
    pen = T2CharStringPen(1000, None)
    pen.moveTo((100, 0))
    for corner in ((900, 0), (900, 800), (100, 800)):
        pen.lineTo(corner)
    pen.closePath()
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({0x20: "space", ord("茶"): "tea", ord("葉"): "leaf", ord("…"): "ellipsis"})
    builder.setupCFF("Rectangles", {}, dict.fromkeys(names, pen.getCharString()), {})
    builder.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    builder.setupHorizontalHeader(ascent=880, descent=-120)
    builder.setupNameTable({"familyName": "Rectangles", "styleName": "Regular", "psName": "Rectangles"})
    builder.setupOS2()
    builder.setupPost()
    builder.save(folder / "rectangles.otf")
    return folder / "rectangles.otf"


@pytest.mark.parametrize("text", [text for text in TEXTS if "\N{THAI CHARACTER SARA AM}" not in text])
def test_text_can_be_copied_out(code128: Encoder, text: str) -> None:
    """What a reader extracts from a label is the text that was printed, in any script and direction.

    Readers put a blank before the Thai vowel, which is drawn as two glyphs.
    """
    (copied,) = _copied(_pdf(code128, [text]))
    assert normalize("NFC", copied) == normalize("NFC", text)


@pytest.mark.parametrize("text", ["قلم 12 mm Blue", "בורג M8 שחור", "Blue pen قلم (12)"])
def test_every_word_of_mixed_directions_can_be_found(code128: Encoder, text: str) -> None:
    """The order of words is a reader's guess, but each of them is found as written."""
    copied = " ".join(_copied(_pdf(code128, [text])))
    words = re.findall(r"[^\W\d]{2,}|\d\d", text)
    assert [word for word in words if word not in copied] == []


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
def test_poppler_finds_the_text_too(code128: Encoder, tmp_path: Path) -> None:
    """A second reader extracts every line, in either direction."""
    file = tmp_path / "labels.pdf"
    texts = [text for text in TEXTS if "น้ำ" not in text and "⌀" not in text]
    file.write_bytes(_pdf(code128, texts))
    done = subprocess.run(["pdftotext", file, "-"], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    found = re.sub("[\u202a-\u202e]", "", done.stdout.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert [text for text in texts if normalize("NFC", text) not in normalize("NFC", found)] == []


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
def test_embedded_fonts_are_flawless(code128: Encoder, rectangles: Path, tmp_path: Path) -> None:
    """The structure of a file with fonts of both kinds of outlines passes qpdf's check."""
    file = tmp_path / "labels.pdf"
    file.write_bytes(_pdf(code128, ["茶葉", *TEXTS] * 12, open_face(rectangles)))
    done = subprocess.run(["qpdf", "--check", file], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    assert (done.returncode, done.stderr) == (0, b"")


def test_only_the_letters_of_a_document_are_embedded(code128: Encoder) -> None:
    """A document has a small subset of each face that it uses, and no other face."""
    plain, greek = _pdf(code128, ["Größe 3,99 €"]), _pdf(code128, ["Größe 3,99 Ω"])
    assert re.findall(rb"/FontName /[A-Z]{6}\+([A-Za-z-]+)", plain) == [b"FiraGO-Regular"]
    assert len(plain) < 12_000
    assert abs(len(greek) - len(plain)) < 1000


def test_the_same_texts_give_the_same_bytes(code128: Encoder) -> None:
    """The subset and its name depend only on the labels."""
    assert _pdf(code128, TEXTS) == _pdf(code128, TEXTS)
    assert _pdf(code128, TEXTS) != _pdf(code128, TEXTS[::-1])


def test_chinese_is_refused_without_a_font_and_printed_with_one(
    code128: Encoder, rectangles: Path, rendered: Renderer
) -> None:
    """The setting's font is used for its characters, and its glyphs are drawn."""
    with pytest.raises(InvalidContent, match=r"U\+8336 .*BARCODESVC_LABEL_FONT names another font"):
        _pdf(code128, ["茶葉 Ω"])
    pdf = _pdf(code128, ["茶葉 Ω"], open_face(rectangles))
    assert _copied(pdf) == ["茶葉 Ω"]
    (page,) = rendered(pdf)
    assert page != rendered(_pdf(code128, ["Ω"]))[0]


@pytest.mark.skipif(not CJK_FONT.exists(), reason="fonts-noto-cjk is not installed")
def test_glyphs_of_an_east_asian_font_are_those_of_their_characters(code128: Encoder, rendered: Renderer) -> None:
    """A font with CIDs, as in East Asia, is subset so that each character keeps its shape."""
    label = Label(code128("1"), "1", ("茶",))
    sheet = Sheet(PageSize(60, 60), 1, 1, 60, 60, 0, 0, 60, 60)
    pdf = write_pdf(lay_out([label], sheet, Layout(font_size=60), None, Typesetter(open_face(CJK_FONT))))
    (page,) = rendered(pdf)
    printed = _ink(page.crop((0, page.height * 11 // 20, page.width, page.height)))
    drawn = new("L", (800, 800), 255)
    ImageDraw.Draw(drawn).text((100, 100), "茶", font=ImageFont.truetype(CJK_FONT, 500))
    expected = _ink(drawn).resize(printed.size)
    assert ImageStat.Stat(ImageChops.difference(printed, expected)).mean[0] < 10


@pytest.mark.skipif(not CJK_FONT.exists(), reason="fonts-noto-cjk is not installed")
def test_a_letter_with_an_accent_is_not_put_together_where_another_font_has_it(
    code128: Encoder, rendered: Renderer
) -> None:
    """The font of the settings has the Greek letter and the accent, but would put it next to the letter."""
    (own,), (bundled,) = (rendered(_pdf(code128, ["\u03ad"], font)) for font in (open_face(CJK_FONT), None))
    assert own == bundled


def test_a_collection_is_read_by_its_first_font(code128: Encoder, tmp_path: Path) -> None:
    """A .ttc works like the .ttf that it begins with."""
    collection = TTCollection()
    collection.fonts = [TTFont(io.BytesIO(pymupdf_fonts.myfont(name))) for name in ("notos", "figo")]
    collection.save(tmp_path / "fonts.ttc")
    pdf = _pdf(code128, ["Łódź"], open_face(tmp_path / "fonts.ttc"))
    assert b"NotoSans-Regular" in pdf
    assert _copied(pdf) == ["Łódź"]


def test_other_scripts_cost_little_more(code128: Encoder) -> None:
    """Labels with Greek descriptions use a few times the processor time of Western ones, and no more."""
    spent = []
    for text in ("Edelstahlschraube", "Ανοξείδωτη βίδα"):
        texts = [f"{text} {number}" for number in range(500)]
        _pdf(code128, texts[:3])
        start = time.process_time()
        _pdf(code128, texts)
        spent.append(time.process_time() - start)
    assert spent[1] < 8 * spent[0]
