"""PWG raster of any rows, read back; other programs' view of whole labels is in `test_printed_dots`."""

import random

import pytest

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout, LayoutImage
from barcodesvc.labels.pictures import Picture
from barcodesvc.labels.sheet_drawing import SheetDrawing
from barcodesvc.labels.sheets import named_sheet
from barcodesvc.labels.writers.page_dots import pages
from barcodesvc.labels.writers.pwg import write_pwg
from barcodesvc.symbols.code128 import code128
from tests.labels.drawings import laid_out
from tests.labels.pwg_reader import read_pwg
from tests.sweeps import sweep

DOTS_PER_MM = 8
_CHANCE = random.Random(28)  # noqa: S311 - patterns


def _patterns(width: int) -> list[bytes]:
    """Return rows of `width` bytes with runs of every length, of bytes that are blank, dark and neither."""
    lengths = (1, 2, 3, 4, 7, 8, 9, 60, 127, 128, 129, 200)
    runs = [byte * length for length in lengths for byte in (b"\0", b"\xff", b"\x55")]
    rows = [b"".join(_CHANCE.sample(runs, len(runs))) for _ in range(40)]
    noise = [_CHANCE.randbytes(width) for _ in range(4)]
    return [row[:width].ljust(width, b"\0") for row in (*rows, *noise, *runs)]


def _drawing(width: int, rows: list[bytes]) -> SheetDrawing:
    """Return a label with these rows as its picture, dot for dot."""
    pixels = b"".join(rows)
    layout = Layout(dpi=203, image=LayoutImage(name="rows", width=8 * width / DOTS_PER_MM, place="above"))
    picture, label = Picture(8 * width, len(rows), pixels), f"{width + 10}x100mm"
    return laid_out([Label(code128("A-1"), "A-1")], named_sheet(label), layout, picture)


@pytest.mark.parametrize("kind", ["black_1", "sgray_8"])
@sweep("width", [40, 100, 128, 129, 300])
def test_any_rows_are_read_back(kind: str, width: int) -> None:
    """Runs and others of any length, on labels whose rows have few bytes and many."""
    rows = _patterns(width)
    ((bitmap, _),) = pages(_drawing(width, rows))
    ((page, _),) = read_pwg(b"".join(write_pwg(_drawing(width, rows), kind)))
    dark = bytes(byte ^ 0xFF for byte in page.tobytes())
    assert page.height == bitmap.height
    assert dark[: len(bitmap.rows)] == bitmap.rows


@pytest.mark.parametrize("equal", [1, 15, 16, 17, 255, 256, 257, 513])
def test_equal_rows_are_written_once(equal: int) -> None:
    """However many there are, in groups of at most 256."""
    rows = [b"\x0f" * 40, *[b"\xf0" * 40] * equal, b"\x0f" * 40]
    ((bitmap, _),) = pages(_drawing(40, rows))
    file = b"".join(write_pwg(_drawing(40, rows), "black_1"))
    ((page, _),) = read_pwg(file)
    assert bytes(byte ^ 0xFF for byte in page.tobytes()) == bitmap.rows
    assert file.count(b"\xf0" * 40) == -(-equal // 256)
