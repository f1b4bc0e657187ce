"""Text in PDF documents, in any script: its appearance, what is copied from it, and the fonts that are embedded."""

import io
import re
import shutil
import subprocess
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
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheet_layout import lay_out
from barcodesvc.labels.sheets import SHEETS, PageSize, Sheet
from barcodesvc.labels.text.typesetting import Typesetter
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.labels.writers.pdf_text import UsedFonts
from tests.labels.drawings import label, rendered

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


def _pdf(texts: list[str], face: Face | None = None) -> bytes:
    labels = [label("CODE128", f"AB-{texts.index(text)}", text) for text in texts]
    return write_pdf(lay_out(labels, SHEETS["L7159"], Layout(), None, Typesetter(face)))


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
def test_text_can_be_copied_out(text: str) -> None:
    """What a reader extracts from a label is the text that was printed, in any script and direction.

    Readers put a blank before the Thai vowel, which is drawn as two glyphs.
    """
    (copied,) = _copied(_pdf([text]))
    assert normalize("NFC", copied) == normalize("NFC", text)


@pytest.mark.parametrize("text", ["قلم 12 mm Blue", "בורג M8 שחור", "Blue pen قلم (12)"])
def test_every_word_of_mixed_directions_can_be_found(text: str) -> None:
    """The order of words is a reader's guess, but each of them is found as written."""
    copied = " ".join(_copied(_pdf([text])))
    words = re.findall(r"[^\W\d]{2,}|\d\d", text)
    assert [word for word in words if word not in copied] == []


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
def test_poppler_finds_the_text_too(tmp_path: Path) -> None:
    """A second reader extracts every line, in either direction."""
    file = tmp_path / "labels.pdf"
    texts = [text for text in TEXTS if "น้ำ" not in text and "⌀" not in text]
    file.write_bytes(_pdf(texts))
    done = subprocess.run(["pdftotext", file, "-"], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    found = re.sub("[\u202a-\u202e]", "", done.stdout.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert [text for text in texts if normalize("NFC", text) not in normalize("NFC", found)] == []


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
def test_embedded_fonts_are_flawless(rectangles: Path, tmp_path: Path) -> None:
    """The structure passes qpdf's check, with fonts of both kinds of outlines, and labels that are repeated or not."""
    file = tmp_path / "labels.pdf"
    file.write_bytes(_pdf(["once", *["茶葉", *TEXTS] * 12], open_face(rectangles)))
    done = subprocess.run(["qpdf", "--check", file], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    assert (done.returncode, done.stderr) == (0, b"")


def test_only_the_letters_of_a_document_are_embedded() -> None:
    """A document has a small subset of each face that it uses, and no other face."""
    plain, greek = _pdf(["Größe 3,99 €"]), _pdf(["Größe 3,99 Ω"])
    assert re.findall(rb"/FontName /[A-Z]{6}\+([A-Za-z-]+)", plain) == [b"FiraGO-Regular"]
    assert len(plain) < 12_000
    assert abs(len(greek) - len(plain)) < 1000


def test_chinese_is_printed_with_a_font_that_has_it(rectangles: Path) -> None:
    """The setting's font is used for its characters, and its glyphs are drawn."""
    pdf = _pdf(["茶葉 Ω"], open_face(rectangles))
    assert _copied(pdf) == ["茶葉 Ω"]
    (page,) = rendered(pdf, 600)
    assert page != rendered(_pdf(["Ω"]), 600)[0]


@pytest.mark.skipif(not CJK_FONT.exists(), reason="fonts-noto-cjk is not installed")
def test_glyphs_of_an_east_asian_font_are_those_of_their_characters() -> None:
    """A font with CIDs, as in East Asia, is subset so that each character keeps its shape."""
    sheet = Sheet(PageSize(60, 60), 1, 1, 60, 60, 0, 0, 60, 60)
    pdf = write_pdf(
        lay_out([label("CODE128", "1", "茶")], sheet, Layout(font_size=60), None, Typesetter(open_face(CJK_FONT)))
    )
    (page,) = rendered(pdf, 600)
    printed = _ink(page.crop((0, page.height * 11 // 20, page.width, page.height)))
    drawn = new("L", (800, 800), 255)
    ImageDraw.Draw(drawn).text((100, 100), "茶", font=ImageFont.truetype(CJK_FONT, 500))
    expected = _ink(drawn).resize(printed.size)
    assert ImageStat.Stat(ImageChops.difference(printed, expected)).mean[0] < 10


@pytest.mark.skipif(not CJK_FONT.exists(), reason="fonts-noto-cjk is not installed")
def test_a_letter_with_an_accent_is_not_put_together_where_another_font_has_it() -> None:
    """The font of the settings has the Greek letter and the accent, but would put it next to the letter."""
    (own,), (bundled,) = (rendered(_pdf(["\u03ad"], font), 600) for font in (open_face(CJK_FONT), None))
    assert own == bundled


def test_a_collection_is_read_by_its_first_font(tmp_path: Path) -> None:
    """A .ttc works like the .ttf that it begins with."""
    collection = TTCollection()
    collection.fonts = [TTFont(io.BytesIO(pymupdf_fonts.myfont(name))) for name in ("notos", "figo")]
    collection.save(tmp_path / "fonts.ttc")
    pdf = _pdf(["Łódź"], open_face(tmp_path / "fonts.ttc"))
    assert b"NotoSans-Regular" in pdf
    assert _copied(pdf) == ["Łódź"]


def _shown(text: str, fonts: UsedFonts) -> bytes:
    words = Typesetter().words(text)
    return fonts.show(words.line(0, words.clusters), 1, 0, 0)


def _texts(text: str) -> str:
    """Return the texts of the characters of a line of one face, from left to right."""
    fonts = UsedFonts()
    codes = "".join(re.findall(r"<([0-9A-F]+)>", _shown(text, fonts).decode()))
    (font,) = fonts.fonts.values()
    return "".join(font.texts[int(codes[at : at + 4], 16)] for at in range(0, len(codes), 4))


@pytest.mark.parametrize("text", ["M8 (bolt)", "Größe \\ 3,99 €"])
def test_a_plain_line_is_one_string(text: str) -> None:
    """Latin text is shown as a single string, two bytes a letter."""
    assert _shown(text, UsedFonts()).count(b"<") == 1
    assert _texts(text) == text


def test_a_line_is_shown_in_runs_of_one_face() -> None:
    """Neighbouring runs of one face, of whatever script or direction, are one string of the page."""
    assert _shown("Łódź שלום Ω", UsedFonts()).count(b"BT") == 1


def test_glyphs_mean_texts() -> None:
    """A ligature is read as its letters one by one, and glyphs of several texts as that of their first use.

    The second glyph of a Thai vowel that is one character needs a text too, and gets one that is not visible.
    """
    assert _texts("سلام")[::-1] == "سلام"
    assert _texts("a b\u2002Ω") == "a b Ω"
    assert _texts("\N{THAI CHARACTER SARA AM}").strip("\u2060") == "\N{THAI CHARACTER SARA AM}"
