"""PDF documents of labels: their structure, what they say of themselves, and that borb makes them in silence."""

import gc
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import PIL.Image
import pypdfium2
import pytest
import zxingcpp
from PIL import ImageOps
from pypdfium2 import raw

from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.resolution import resolution
from barcodesvc.labels.sheets import SHEETS, PageSize, Sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.labels.writers.pdf_document import write_document
from barcodesvc.symbols.modules import Bars
from tests.labels.drawings import label, laid_out, rendered

SHEET = SHEETS["L7160"]
SILENCE = """
import os, signal, sys, threading

forbidden = []
def watch(event, args):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.fork")):
        forbidden.append(event)
    if event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        forbidden.append((event, args[0]))
sys.addaudithook(watch)
sys.dont_write_bytecode = True
handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
environment = dict(os.environ)

from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheets import named_sheet
from barcodesvc.labels.writers.pdf import write_pdf
from tests.labels.drawings import label, laid_out

for number in range(130):
    assert write_pdf(laid_out([label("CODE128", "A", f"Label {number}")], named_sheet("50x25mm"), Layout()))

assert forbidden == [], forbidden
assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
assert environment == dict(os.environ)
assert threading.enumerate() == [threading.main_thread()]
"""


def _pdf(count: int) -> bytes:
    """Return a document of as many different labels."""
    codes = [f"AB-{number:06d}" for number in range(count)]
    labels = [label("CODE128", code, f"Hex bolt قلم {code}") for code in codes]
    return write_pdf(laid_out(labels, SHEET, Layout()))


def test_documents_are_made_in_silence(tmp_path: Path) -> None:
    """130 documents leave no socket, thread, signal handler, file or output behind."""
    done = subprocess.run(  # noqa: S603 - this interpreter and a constant program
        [sys.executable, "-c", SILENCE],
        capture_output=True,
        check=False,
        timeout=60,
        env={"HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []


def test_no_page_waits_for_a_garbage_collection() -> None:
    """A collection is rare in the service: sheets of labels would fill the memory until then."""
    gc.collect()
    gc.disable()
    try:
        write_document((100, 100), [b"q Q"] * 100, {})
        assert gc.collect() < 100
    finally:
        gc.enable()


def test_the_same_labels_give_the_same_bytes() -> None:
    """A document contains no date and no random identifier; other labels have another identifier."""
    first, again, other = (_pdf(count) for count in (5, 5, 6))
    assert first == again
    assert b"Date" not in first
    assert first.split(b"/ID ")[1][:70] != other.split(b"/ID ")[1][:70]


def test_what_a_document_says_of_itself() -> None:
    """It has a title, borb's producer line and comment, pages that count from 1, and asks to be printed as it is.

    A viewer that fits pages to the paper would let labels drift off their sheet.
    """
    pdf = _pdf(40)
    with pypdfium2.PdfDocument(pdf) as document:
        assert document.get_metadata_dict(skip_empty=True) == {"Title": "Labels", "Producer": "borb"}
        assert document[0].get_size() == pytest.approx((595.276, 841.890), abs=0.001)
        assert [document.get_page_label(index) for index in range(len(document))] == ["1", "2"]
        assert not raw.FPDF_VIEWERREF_GetPrintScaling(document)
    assert b"/PickTrayByPDFSize true" in pdf
    assert b"% borb\n% version" in pdf


def test_a_label_that_is_repeated_often_is_a_form() -> None:
    """From ten copies on a label is one object of the file, which still fills every position."""
    codes = ["A-1"] * 10 + ["B-2"] * 9 + ["A-1"] * 2
    pdf = write_pdf(laid_out([label("QR", code) for code in codes], SHEET, Layout()))
    assert pdf.count(b"/Subtype /Form") == 1
    (page,) = rendered(pdf, 300)
    assert sorted(found.text for found in zxingcpp.read_barcodes(page)) == sorted(codes)


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="poppler-utils is not installed")
@pytest.mark.parametrize(("dpi", "scale"), [(203, 1), (203, 0.95), (300, 1.02)])
def test_one_bit_a_pixel_keeps_every_width(dpi: int, scale: float, tmp_path: Path) -> None:
    """Bars and spaces are whole modules, as label printers print them, scaled or not, in another renderer as well."""
    one = label("CODE128", "AB-12345")
    assert isinstance(one.symbol, Bars)
    sheet = Sheet(PageSize(127, 127), 1, 1, 76.2, 101.6, 12.7, 12.7, 76.2, 101.6)
    (tmp_path / "labels.pdf").write_bytes(write_pdf(laid_out([one], sheet, Layout(dpi=dpi, scale=scale))))
    command = ["pdftoppm", "-mono", "-r", str(resolution(dpi).dots_per_mm * 25.4), "labels.pdf", "page"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=60)  # noqa: S603 - a test tool from the path
    with PIL.Image.open(tmp_path / "page-1.pbm") as opened:
        page = opened.convert("L")
    left, top, right, _ = ImageOps.invert(page).getbbox() or (0, 0, 0, 0)
    runs = [len(list(run)) for _, run in groupby(page.crop((left, top + 5, right, top + 6)).tobytes())]
    assert tuple(run / min(runs) for run in runs) == one.symbol.runs
