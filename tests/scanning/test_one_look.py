"""What one look at a picture shows: the names, texts and places of codes, and how many there are."""

import math
import random
from io import BytesIO

import pytest
import segno
from PIL import Image, ImageChops

from barcodesvc.scanning.images.codes import NOT_DRAWN
from barcodesvc.scanning.images.reading import MOST_CODES, codes_with_effort
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology
from tests.scanning.pictures.drawn_codes import GLARE, Case, codes_on, pixels_of
from tests.scanning.symbol_images import drawn_by_zxing, on_paper, symbol, turned
from tests.sweeps import sweep

NOT_READ = {"EAN5", "EAN2", "MSI", "PHARMACODE"}
"""Symbologies that zxing-cpp does not read, including separate add-ons."""
READ_AS = {
    "CODE128A": "CODE128",
    "CODE128B": "CODE128",
    "CODE128C": "CODE128",
    "JAN": "EAN13",
    "ISBN13": "EAN13",
    "ISBN10": "EAN13",
    "ISSN": "EAN13",
    "DATABARSTACKEDOMNI": "DATABARSTACKED",
}
"""Names that share their symbol with another."""


def texts(image: Image.Image) -> list[str]:
    """Return the texts of the codes on a grey picture."""
    return [code.text for code in codes_on(pixels_of(image))]


@sweep("name", [entry.name for entry in SYMBOLOGIES if entry.name not in NOT_READ])
def test_every_symbology_is_named_as_the_service_names_it(name: str) -> None:
    """A symbol that the service draws and zxing-cpp reads has its own name, or that of another with the same symbol."""
    [code] = codes_on(pixels_of(symbol(name, find_symbology(name).example, 3)))
    assert code.symbology == READ_AS.get(name, name)


def test_a_symbology_that_images_show_names_the_format_that_reads_it() -> None:
    """And all with one format say alike whether that is found at every angle, so that a further look omits it."""
    rows = [entry for entry in SYMBOLOGIES if entry.read_as]
    assert {entry.name for entry in SYMBOLOGIES} - {entry.name for entry in rows} == NOT_READ
    assert len({(entry.read_as, entry.is_read_turned) for entry in rows}) == len({entry.read_as for entry in rows})


@sweep(
    ("name", "content", "text"),
    [
        ("CODE128", "AB-12345", "AB-12345"),
        ("CODE39", "A+B", "A+B"),
        ("CODE39", "U58LJH", "U58LJH"),
        ("UPCA", "036000291452", "036000291452"),
        ("UPCE", "01234565", "012345000065"),
        ("EAN13", "4006381333931", "4006381333931"),
        ("EAN13", "4006381333931+12", "4006381333931+12"),
        ("PZN", "12345626", "-12345626"),
        ("CODABAR", "A12345B", "A12345B"),
        ("GS1-128", "(10)LOT7(01)09521234543213(21)S1", "]C110LOT7\x1d010952123454321321S1"),
        ("GS1DATAMATRIX", "(10)LOT7(01)09521234543213", "]d210LOT7\x1d0109521234543213"),
        ("GS1QR", "(10)LOT7(01)09521234543213", "]Q310LOT7\x1d0109521234543213"),
        ("DATABAROMNI", "09521234543213", "]e00109521234543213"),
    ],
)
def test_the_text_is_what_a_scanner_sends(name: str, content: str, text: str) -> None:
    """Code 39 is as in its bars, a UPC-A has 12 digits, GS1 has its identifier and separators."""
    assert texts(symbol(name, content, 3)) == [text]


@sweep(
    ("name", "content", "module", "height", "degrees"),
    [
        (name, number + add_on, module, height, degrees)
        for name, number, module, height, degrees in (
            *(("EAN13", "4006381333931", 2, 100, degrees) for degrees in (5, 90, 180, 270)),
            *(
                ("EAN13", "9771234567003", module, height, 0)
                for module, height in ((1, 20), (3, 20), (4, 60), (6, 120))
            ),
            *(("UPCA", "036000291452", module, height, 0) for module, height in ((2, 20), (4, 40), (10, 120))),
            *(("UPCE", "012345000065", module, height, 0) for module, height in ((1, 20), (4, 60), (10, 20))),
        )
        for add_on in ("+05", "+51299")
    ],
)
def test_a_symbol_with_an_add_on_is_one_code(name: str, content: str, module: int, height: int, degrees: int) -> None:
    """The lines above the add-on, which read the number alone, are not a separate code, however few lines there are."""
    assert texts(turned(symbol(name, content, module, height, with_text=True), degrees)) == [content]


def test_the_place_of_a_symbol_with_an_add_on_is_all_of_it() -> None:
    """Lines above the add-on are part of it."""
    [code] = codes_on(pixels_of(symbol("EAN13", "9771234567003+05", 4, 60, with_text=True)))
    assert [(corner.x, corner.y) for corner in code.corners] == [(44, 9), (531, 9), (531, 68), (44, 68)]


@pytest.mark.parametrize("offset", [(0, 130), (250, 0)])
def test_a_title_near_one_of_its_issues_is_a_separate_code(offset: tuple[int, int]) -> None:
    """Two labels on one sheet, one above the other or side by side, are two codes."""
    title, issue = (symbol("EAN13", code, 2, 90) for code in ("9771234567003", "9771234567003+05"))
    paper = on_paper((title, (0, 0)), (issue, offset), side=600)
    assert texts(paper) == ["9771234567003", "9771234567003+05"]


def test_add_ons_of_one_symbol_that_contradict_each_other_do_not_count() -> None:
    """If half of the lines read another add-on, only the number is certain."""
    issue, other = (symbol("EAN13", f"9771234567003+{add_on}", 3, 100) for add_on in ("05", "31"))
    issue.paste(other.crop((0, 50, *other.size)), (0, 50))
    assert texts(issue) == ["9771234567003"]


@sweep(("name", "content"), [("MaxiCode", "12345"), ("DXFilmEdge", "7-3"), ("Telepen", "AB-1")])
def test_a_symbology_that_the_service_cannot_draw_is_read_only_if_it_is_named(name: str, content: str) -> None:
    """It has zxing-cpp's name then; noise shows a DX Film Edge, which would hide the real code."""
    pixels = pixels_of(drawn_by_zxing(name, content))
    [asked] = [one for one in NOT_DRAWN if one.replace(" ", "") == name]
    assert codes_on(pixels) == ()
    [code] = codes_with_effort(pixels, "normal", asked).codes
    assert code.symbology.replace(" ", "").startswith(name)
    assert code.text == content


@pytest.mark.parametrize(
    "content", [bytes(range(256)), b"\xff\xfe\0\x80abc", b"\xed\xa0\x80", b"A\x1dB", "größe".encode()]
)
def test_bytes_that_are_no_text_are_read(content: bytes) -> None:
    """Binary content comes as characters that JSON can carry, UTF-8 as its text."""
    file = BytesIO()
    segno.make_qr(content, mode="byte").save(file, kind="png", scale=4)
    [text] = texts(Image.open(file).convert("L"))
    assert text.encode() in (content, content.decode("latin-1").encode())


@sweep(
    ("content", "degrees"),
    [(content, degrees) for content in ("12", "90", "1234", "0017") for degrees in (0, 4, 90, 180)],
)
def test_a_short_itf_is_read_if_it_is_named(content: str, degrees: int) -> None:
    """Two looks agree on its two or four digits; one of two digits is never read unasked."""
    pixels = pixels_of(turned(symbol("ITF", content, 3), degrees))
    found = codes_with_effort(pixels, "normal", "ITF")
    assert [(code.symbology, code.text) for code in found.codes] == [("ITF", content)]
    assert found.looks > 1
    is_too_short = len(content) == 2
    assert bool(codes_with_effort(pixels, "normal").codes) is not is_too_short


def test_positions_are_those_of_the_symbol() -> None:
    """The four corners are those of the modules in the image, clockwise from the symbol's own top left."""
    qr = symbol("QR", "AB-12345", 4)
    [code] = codes_on(pixels_of(on_paper((qr, (100, 200)))))
    first, last = 16, qr.width - 17
    expected = [(first, first), (last, first), (last, last), (first, last)]
    for corner, (x, y) in zip(code.corners, expected, strict=True):
        assert abs(corner.x - 100 - x) <= 2
        assert abs(corner.y - 200 - y) <= 2


@sweep("name", ["CODE128", "EAN8", "UPCE", "DATABAREXPANDED", "DATABARSTACKED", "PDF417", "QR"])
@sweep("degrees", [90, 180, 270])
def test_positions_of_turned_symbols_begin_at_their_own_top_left(name: str, degrees: int) -> None:
    """A symbol that is upside down has its top left at the bottom right of the image."""
    upright = on_paper((symbol(name, find_symbology(name).example), (60, 120)))
    [[before], [after]] = (codes_on(pixels_of(image)) for image in (upright, upright.rotate(degrees)))
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    for was, corner in zip(before.corners, after.corners, strict=True):
        x, y = was.x - upright.width / 2, was.y - upright.height / 2
        at = upright.width / 2 + cosine * x + sine * y, upright.height / 2 + cosine * y - sine * x
        assert math.dist(at, (corner.x, corner.y)) <= 12


@pytest.mark.parametrize("degrees", [120, 165])
def test_a_corner_of_a_damaged_qr_code_is_no_micro_qr_code(degrees: int) -> None:
    """With glare on another corner, zxing-cpp reads other digits there; a Micro QR code has paper around it."""
    damaged = Case("QR", is_low=False, damage=GLARE, degrees=degrees)
    assert codes_on(pixels_of(damaged.picture())) == ()


def test_a_micro_qr_code_that_ends_at_the_edge_of_its_picture_is_read() -> None:
    """What is outside is paper."""
    micro = symbol("MICROQR", "12345", 4)
    box = ImageChops.invert(micro).getbbox()
    assert box
    assert texts(micro.crop(box)) == ["12345"]


def test_codes_come_in_reading_order() -> None:
    """Lines go from the top, codes in a line from the left, even if one is slightly higher than its neighbour."""
    pictures = [symbol("QR", content, 3) for content in "ABCDEF"]
    positions = [(20, 40), (180, 20), (340, 50), (20, 220), (180, 200), (340, 210)]
    placed = list(zip(pictures, positions, strict=True))
    random.Random(7).shuffle(placed)  # noqa: S311 - the same order on every run
    assert texts(on_paper(*placed)) == list("ABCDEF")


def test_inverted_and_plain_codes_are_read_together() -> None:
    """A white code on black next to a black one on white: both are found."""
    inverted = ImageChops.invert(symbol("DATAMATRIX", "DARK", 4))
    paper = on_paper((symbol("QR", "LIGHT", 4), (20, 20)), (inverted, (250, 20)))
    assert texts(paper) == ["LIGHT", "DARK"]


@pytest.mark.parametrize(("count", "is_truncated"), [(64, False), (70, True)])
def test_at_most_64_codes_are_returned(count: int, is_truncated: bool) -> None:  # noqa: FBT001 - an expected value
    """Of a sheet with 70 codes the first 64 are returned, and that there are more; of one with 64, all."""
    qrs = [(symbol("MICROQR", str(100 + number), 4), (number % 10 * 80, number // 10 * 80)) for number in range(count)]
    found = codes_with_effort(pixels_of(on_paper(*qrs, side=820)), "normal")
    assert [code.text for code in found.codes] == [str(100 + number) for number in range(MOST_CODES)]
    assert found.is_truncated is is_truncated
