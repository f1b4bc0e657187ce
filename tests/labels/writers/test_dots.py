"""All writers of dots give the same dots, for every symbology and printhead, and other programs read them alike."""

import base64
import io
import json
import random
import re
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, product
from pathlib import Path
from typing import Literal

import pytest
import zxingcpp
from PIL import Image, ImageChops, ImageDraw, ImageFilter
from pypdfium2 import raw
from zebrafy.zebrafy_zpl import ZebrafyZPL

from barcodesvc.drawing.shapes import BarImage, Drawing
from barcodesvc.errors import InvalidInput
from barcodesvc.labels.layout_requests import Layout, LayoutImage
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheets import PageSize, Sheet, named_sheet
from barcodesvc.labels.writers.page_dots import pages, write_png
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.labels.writers.pwg import write_pwg
from barcodesvc.labels.writers.zpl import write_zpl
from barcodesvc.symbols.registry import SYMBOLOGIES
from tests.labels.drawings import label, laid_out, rendered
from tests.properties import every
from tests.sweeps import sweep

EXAMPLES = {symbology.name: symbology.example for symbology in SYMBOLOGIES}
NOT_IN_PICTURES = {"MSI", "PHARMACODE", "EAN2", "EAN5"}
"""What zxing-cpp does not read."""
DOTS = {203: 8, 300: 12, 600: 24}
"""The printheads, and the dots per mm by which zpl-renderer-js knows them."""
DRAW_ZPL = Path(__file__).parents[1] / "draw_zpl.mjs"
RENDERER = Path(__file__).parents[3] / ".venv/page-tools/node_modules/zpl-renderer-js"
ROLL = named_sheet("60x30mm")
PAGE = named_sheet("127x63.5mm")
INCHES = Sheet(PageSize(254, 254), 2, 2, 76.2, 101.6, 12.7, 12.7, 88.9, 114.3)
"""Pages of whole dots at any resolution."""
LOGO = Picture(16, 8, bytes(range(3, 250, 16)))
TEXTS = {
    "CODE128": ("Edelstahlschraube M8", "Ανοξείδωτη βίδα"),
    "QR": ("Болт нержавеющий",),
    "EAN13": ("בורג נירוסטה", "مسمار من الفولاذ"),
    "ITF14": ("น้ำดื่ม 500 มล.",),
}
PWG_HEADER = 1796
_CHANCE = random.Random(28)  # noqa: S311 - patterns


def _drawing(name: str, dpi: int, *texts: str) -> SheetDrawing:
    return laid_out([label(name, EXAMPLES[name], *texts)], ROLL, Layout(dpi=dpi))


def _raster(drawing: SheetDrawing) -> Image.Image:
    """Return the first page, dark on white."""
    bitmap, _ = next(pages(drawing))
    return ImageChops.invert(Image.frombytes("1", (bitmap.width, bitmap.height), bitmap.rows))


def _rectangles(one: Drawing) -> Iterator[tuple[int, int, int, int]]:
    """Yield what is dark of a symbol: left, top, width and height."""
    image = one.image
    if isinstance(image, BarImage):
        columns = list(accumulate(image.runs, initial=0))
        for bar, (top, height) in enumerate(image.extents):
            left, width = image.left + columns[2 * bar] * image.module, image.runs[2 * bar] * image.module
            yield left, image.top + top, width, height
    else:
        for y, row in enumerate(image.rows):
            for x, module in enumerate(row):
                if module:
                    yield image.left + x * image.module, image.top + y * image.module, image.module, image.module
    yield from one.bearers


def _symbol(drawing: SheetDrawing) -> Image.Image:
    """Paint the symbol of the only label rectangle by rectangle."""
    picture = Image.new("1", drawing.page_size, 1)
    canvas = ImageDraw.Draw(picture)
    (one,) = drawing.labels
    for left, top, width, height in _rectangles(one):
        canvas.rectangle((left, top, left + width - 1, top + height - 1), 0)
    return picture


def _without_text(drawing: SheetDrawing) -> SheetDrawing:
    return replace(drawing, labels=[replace(one, texts=()) for one in drawing.labels])


def _zpl_image(zpl: bytes) -> Image.Image:
    """Return the label as zebrafy sees it, whose fields are one below the other."""
    parts = ZebrafyZPL(zpl.decode()).to_images()
    whole = Image.new("1", (parts[0].width, sum(part.height for part in parts)))
    top = 0
    for part in parts:
        whole.paste(part, (0, top))
        top += part.height
    return whole


def _read_pwg(file: bytes) -> Iterator[tuple[Image.Image, tuple[int, int]]]:
    """Yield each page, dark on white, and its dots per inch across and down; written from the standard, PWG 5102.4."""
    assert file[:4] == b"RaS2"
    at = 4
    while at < len(file):
        header = file[at : at + PWG_HEADER]
        assert header.startswith(b"PwgRaster\0")
        width, height, bits, size, space = (_integer(header, offset) for offset in (372, 376, 388, 392, 400))
        assert size == (width * bits + 7) // 8
        assert (bits, space) in ((1, 3), (8, 18))
        rows, at = _unpacked(file, at + PWG_HEADER, height, size)
        picture = Image.frombytes("1" if bits == 1 else "L", (width, height), rows)
        dark = picture.point(lambda value: 0 if value else 255) if bits == 1 else picture
        yield dark.convert("1"), (_integer(header, 276), _integer(header, 280))


def _integer(header: bytes, offset: int) -> int:
    return int(struct.unpack_from(">I", header, offset)[0])


def _unpacked(file: bytes, at: int, height: int, size: int) -> tuple[bytes, int]:
    """Return the rows of a page and the offset of what follows."""
    rows = bytearray()
    while len(rows) < height * size:
        copies = file[at] + 1
        at += 1
        row = bytearray()
        while len(row) < size:
            count = file[at]
            if count < 128:
                row += file[at + 1 : at + 2] * (count + 1)
                at += 2
            else:
                row += file[at + 1 : at + 258 - count]
                at += 258 - count
        assert len(row) == size
        rows += row * copies
    assert len(rows) == height * size
    return bytes(rows), at


def _drawn_in_node(files: Sequence[tuple[bytes, tuple[int, int], float]]) -> Iterator[Image.Image]:
    """Yield the label of each ZPL, with its size in dots and its dots per mm, as zpl-renderer-js draws it."""
    lines = [
        json.dumps({"zpl": zpl.decode(), "width": width / dots, "height": height / dots, "dots": dots})
        for zpl, (width, height), dots in files
    ]
    done = subprocess.run(["node", DRAW_ZPL], input="\n".join(lines), capture_output=True, check=True, text=True)  # noqa: S603, S607 - a test tool from the path
    for line in done.stdout.splitlines():
        yield Image.open(io.BytesIO(base64.b64decode(line))).convert("L").point([0] * 128 + [255] * 128)


def _same(one: Image.Image, other: Image.Image) -> bool:
    """Return whether two pictures have the same dots; one may have columns that fill its last byte."""
    width = min(one.width, other.width)
    crops = [picture.convert("1").crop((0, 0, width, one.height)) for picture in (one, other)]
    return max(one.width, other.width) < width + 8 and crops[0].tobytes() == crops[1].tobytes()


@sweep(("name", "dpi"), list(product(EXAMPLES, (203, 300, 600)))[:: every(1)])
def test_writers_of_dots_agree(name: str, dpi: int) -> None:
    """The raster is the drawing, and PNG, ZPL and PWG raster are the raster, as other programs read them."""
    assert _same(_raster(_without_text(_drawing(name, dpi))), _symbol(_drawing(name, dpi)))
    raster = _raster(_drawing(name, dpi, "Größe 8"))
    for graphics in ("z64", "acs", "hex"):
        assert _same(_zpl_image(b"".join(write_zpl(_drawing(name, dpi, "Größe 8"), graphics))), raster)
    for kind in ("black_1", "sgray_8"):
        ((page, resolution),) = _read_pwg(b"".join(write_pwg(_drawing(name, dpi, "Größe 8"), kind)))
        assert resolution == (dpi, dpi)
        assert _same(page, raster)
    assert _same(Image.open(io.BytesIO(write_png(_drawing(name, dpi, "Größe 8"), 1))), raster)


def test_the_images_of_a_tall_label_lie_one_below_the_other() -> None:
    """A field holds 99,999 bytes: the next one begins in the row where they end."""
    [written] = write_zpl(laid_out([label("CODE128", "AB-12345")], PAGE, Layout(dpi=600)))
    fields = [tuple(map(int, field)) for field in re.findall(rb"\^FO0,(\d+)\^GFA,\d+,(\d+),(\d+)", written)]
    ends = accumulate(size // row for _, size, row in fields)
    assert len(fields) > 1
    assert [top for top, *_ in fields] == [0, *list(ends)[:-1]]


@pytest.mark.full_run
@pytest.mark.skipif(not RENDERER.exists(), reason="zpl-renderer-js is not installed; run scripts/node-tools")
def test_a_renderer_of_zpl_draws_the_same_dots() -> None:
    """Each symbology and printhead gives the raster in a program that draws whole labels, not only their images."""
    cases = [(name, dpi) for name in EXAMPLES for dpi in DOTS]
    drawings = [_drawing(name, dpi, "Größe 8") for name, dpi in cases]
    sizes = [drawing.page_size for drawing in drawings]
    files = [b"".join(write_zpl(drawing)) for drawing in drawings]
    drawn = _drawn_in_node([*zip(files, sizes, (DOTS[dpi] for _, dpi in cases), strict=True)])
    for (name, dpi), picture in zip(cases, drawn, strict=True):
        assert _same(picture, _raster(_drawing(name, dpi, "Größe 8"))), (name, dpi)


@sweep("name", [name for name in EXAMPLES if name not in NOT_IN_PICTURES])
@sweep("dpi", [203, 300, 600])
def test_printed_dots_are_read(name: str, dpi: int) -> None:
    """Each symbol that zxing-cpp knows reads as its content, from the dots of the printer."""
    picture = _raster(_drawing(name, dpi)).convert("L")
    (found,) = zxingcpp.read_barcodes(picture, try_rotate=False, try_downscale=False, try_invert=False)
    assert found.valid


@sweep("dpi", [203, 300, 600])
@sweep(
    "name",
    {**{name: EXAMPLES[name] for name in ("CODE128", "ITF14", "QR", "PDF417")}, "EAN13": "400638133393+51299"}.items(),
)
def test_a_pdf_has_the_same_dots(name: tuple[str, str], dpi: int) -> None:
    """Bars, guards, add-ons, bearers and matrices are black on the dots of the picture, and nowhere else."""
    drawing = laid_out([label(*name)] * 5, INCHES, Layout(dpi=dpi, start_position=3))
    shown = rendered(write_pdf(drawing), dpi, raw.FPDF_PAGEOBJ_TEXT)
    assert len(shown) == 2
    for number, page in enumerate(shown, 1):
        picture = Image.open(io.BytesIO(write_png(_without_text(drawing), number))).convert("L")
        assert ImageChops.difference(picture, page).getextrema()[1] < 20  # type: ignore[operator]  # of one channel


def _near(picture: Image.Image) -> Image.Image:
    """Return a picture with each dark dot grown by a dot to all sides."""
    return picture.convert("L").filter(ImageFilter.MinFilter(3))


def _has(one: Image.Image, other: Image.Image) -> bool:
    """Return whether each dark dot of one picture is at most a dot away from one of the other."""
    return ImageChops.subtract(_near(other), one.convert("L")).getbbox() is None


PAGES = [(PAGE, 203), (PAGE, 300), (PAGE, 600), (INCHES, 203), (INCHES, 300)]


@sweep(("rotate", "sheet", "dpi"), [(rotate, *page) for rotate in (0, 90, 180, 270) for page in PAGES][:: every(1)])
def test_pictures_are_the_pages_of_the_pdf(sheet: Sheet, dpi: int, rotate: Literal[0, 90, 180, 270]) -> None:
    """Within a dot, what is dark in a PNG has ink in the page that pdfium draws, and what is black there is dark."""
    layout = Layout(dpi=dpi, rotate=rotate, image=LayoutImage(name="logo", width=8, place="right"))
    labels = [label(name, EXAMPLES[name], *texts) for name, texts in TEXTS.items()][: sheet.labels_per_page]
    picture = Image.open(io.BytesIO(write_png(laid_out(labels, sheet, layout, LOGO), 1)))
    page = rendered(write_pdf(laid_out(labels, sheet, layout, LOGO)), dpi)[0]
    inked, black = (page.point([0] * most + [255] * (256 - most)) for most in (192, 64))
    assert page.size == picture.size
    assert _has(picture, inked)
    assert _has(black, picture)


def test_each_page_has_its_picture() -> None:
    """Pages are counted from 1; a page that is not there is refused with the number of those that are."""
    labels = [label("CODE128", "A", f"number {number}") for number in range(3)]
    pictures = [write_png(laid_out(labels, ROLL, Layout(dpi=203)), page) for page in (1, 2, 3)]
    assert len(set(pictures)) == 3
    assert Image.open(io.BytesIO(pictures[0])).info["dpi"] == pytest.approx((203.2, 203.2), abs=0.01)
    with pytest.raises(InvalidInput, match="page: the labels have 3 pages"):
        write_png(laid_out(labels, ROLL, Layout()), 4)


def _patterns(width: int) -> list[bytes]:
    """Return rows of `width` bytes with runs of every length, of bytes that are blank, dark and neither."""
    lengths = (1, 2, 3, 4, 7, 8, 9, 60, 127, 128, 129, 200)
    runs = [byte * length for length in lengths for byte in (b"\0", b"\xff", b"\x55")]
    rows = [b"".join(_CHANCE.sample(runs, len(runs))) for _ in range(40)]
    noise = [_CHANCE.randbytes(width) for _ in range(4)]
    return [row[:width].ljust(width, b"\0") for row in (*rows, *noise, *runs)]


def _of_rows(width: int, rows: list[bytes]) -> SheetDrawing:
    """Return a label with these rows as its picture, dot for dot."""
    pixels = b"".join(rows)
    layout = Layout(dpi=203, image=LayoutImage(name="rows", width=8 * width / DOTS[203], place="above"))
    picture, page = Picture(8 * width, len(rows), pixels), f"{width + 10}x100mm"
    return laid_out([label("CODE128", "A-1")], named_sheet(page), layout, picture)


@pytest.mark.parametrize("kind", ["black_1", "sgray_8"])
@sweep("width", [40, 100, 128, 129, 300])
def test_any_rows_are_read_back(kind: str, width: int) -> None:
    """Runs and others of any length, on labels whose rows have few bytes and many."""
    rows = _patterns(width)
    ((bitmap, _),) = pages(_of_rows(width, rows))
    ((page, _),) = _read_pwg(b"".join(write_pwg(_of_rows(width, rows), kind)))
    dark = bytes(byte ^ 0xFF for byte in page.tobytes())
    assert page.height == bitmap.height
    assert dark[: len(bitmap.rows)] == bitmap.rows


@pytest.mark.parametrize("equal", [1, 16, 17, 256, 257, 513])
def test_equal_rows_are_written_once(equal: int) -> None:
    """However many there are, in groups of at most 256."""
    rows = [b"\x0f" * 40, *[b"\xf0" * 40] * equal, b"\x0f" * 40]
    ((bitmap, _),) = pages(_of_rows(40, rows))
    file = b"".join(write_pwg(_of_rows(40, rows), "black_1"))
    ((page, _),) = _read_pwg(file)
    assert bytes(byte ^ 0xFF for byte in page.tobytes()) == bitmap.rows
    assert file.count(b"\xf0" * 40) == -(-equal // 256)
