import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from inspect import getattr_static, signature
from pathlib import Path

import pypdfium2
import pytest
from borb.pdf.visitor.write_new.facade_visitor import FacadeVisitor
from pypdfium2 import raw

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheets import page_size, simple_sheet
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.symbols.modules import Bars
from tests.labels.drawings import laid_out

Encoder = Callable[[str], Bars]


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

from barcodesvc.labels.label_content import Label
from barcodesvc.labels.sheet_layout import lay_out
from barcodesvc.labels.writers.pdf import write_pdf
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheets import page_size, simple_sheet
from barcodesvc.symbols.modules import Bars
from barcodesvc.labels.text.typesetting import Typesetter

sheet = simple_sheet(page_size("50x25mm"), 1, 1)
for number in range(130):
    label = Label(Bars((2, 1, 3), 10, 10), "", (f"Label {number}",))
    assert write_pdf(lay_out([label], sheet, Layout(), None, Typesetter()))

assert forbidden == [], forbidden
assert handlers == [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
assert environment == dict(os.environ)
assert threading.enumerate() == [threading.main_thread()]
"""


def _labels(code128: Encoder, count: int) -> list[Label]:
    codes = [f"AB-{number:06d}" for number in range(count)]
    return [Label(code128(code), code, (f"Stainless steel hex bolt {code}",)) for code in codes]


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


def test_the_same_labels_give_the_same_bytes(code128: Encoder) -> None:
    """A document contains no date and no random identifier; other labels have another identifier."""
    sheet = simple_sheet(page_size("A4"), 3, None)
    first, again, other = (write_pdf(laid_out(_labels(code128, count), sheet, Layout())) for count in (5, 5, 6))
    assert first == again
    assert b"Date" not in first
    assert first.split(b"/ID ")[1][:70] != other.split(b"/ID ")[1][:70]


def test_a_document_names_its_title_and_producer(code128: Encoder) -> None:
    """The title is Labels; borb's producer line and comment stay."""
    pdf = write_pdf(laid_out(_labels(code128, 40), simple_sheet(page_size("A4"), 3, None), Layout()))
    with pypdfium2.PdfDocument(pdf) as document:
        assert document.get_metadata_dict(skip_empty=True) == {"Title": "Labels", "Producer": "borb"}
        assert document[0].get_size() == pytest.approx((595.276, 841.890), abs=0.001)
        assert len(document) == 2
    assert b"% borb\n% version" in pdf


def test_readers_number_pages_from_1(code128: Encoder) -> None:
    """A reader of PDF names each page as a person counts it."""
    pdf = write_pdf(laid_out(_labels(code128, 40), simple_sheet(page_size("A4"), 3, None), Layout()))
    with pypdfium2.PdfDocument(pdf) as document:
        assert [document.get_page_label(index) for index in range(len(document))] == ["1", "2"]


def test_viewers_are_asked_to_print_at_full_size(code128: Encoder) -> None:
    """A viewer that fits pages to the paper would let labels drift off their sheet."""
    pdf = write_pdf(laid_out(_labels(code128, 1), simple_sheet(page_size("A4"), 3, None), Layout()))
    with pypdfium2.PdfDocument(pdf) as document:
        assert not raw.FPDF_VIEWERREF_GetPrintScaling(document)
    assert b"/PickTrayByPDFSize true" in pdf


def test_text_can_be_searched(code128: Encoder) -> None:
    """Text is text: accents, parentheses and backslashes are extracted unchanged."""
    labels = [Label(code128("AB-1"), "AB-1", ("Größe (M) \\ 3,99 €",))]
    pdf = write_pdf(laid_out(labels, simple_sheet(page_size("A4"), 3, None), Layout()))
    with pypdfium2.PdfDocument(pdf) as document:
        assert document[0].get_textpage().get_text_range().split("\r\n") == ["AB-1", "Größe (M) \\ 3,99 €"]


@pytest.mark.parametrize("sheet", ["A4", "50x25mm"])
def test_time_grows_with_the_labels_only(code128: Encoder, sheet: str) -> None:
    """Eight times the labels take about eight times the processor time, on sheets and on rolls."""
    layout = simple_sheet(page_size(sheet), 3 if sheet == "A4" else 1, None)
    write_pdf(laid_out(_labels(code128, 10), layout, Layout()))
    spent = []
    for labels in (_labels(code128, 250), _labels(code128, 2000)):
        start = time.process_time()
        write_pdf(laid_out(labels, layout, Layout()))
        spent.append(time.process_time() - start)
    assert spent[1] < 16 * spent[0]


@pytest.mark.skipif(shutil.which("qpdf") is None, reason="qpdf is not installed")
def test_qpdf_finds_nothing_to_complain_about(code128: Encoder, tmp_path: Path) -> None:
    """The file's structure is flawless, with and without repeated labels."""
    file = tmp_path / "labels.pdf"
    file.write_bytes(
        write_pdf(
            laid_out(_labels(code128, 40) + _labels(code128, 2) * 12, simple_sheet(page_size("A4"), 3, None), Layout())
        )
    )
    done = subprocess.run(["qpdf", "--check", file], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="poppler-utils is not installed")
def test_poppler_reads_the_text_in_order(code128: Encoder, tmp_path: Path) -> None:
    """A second reader opens the file without complaint and finds every code."""
    file = tmp_path / "labels.pdf"
    file.write_bytes(write_pdf(laid_out(_labels(code128, 40), simple_sheet(page_size("A4"), 3, None), Layout())))
    done = subprocess.run(["pdftotext", "-raw", file, "-"], capture_output=True, check=False, timeout=60)  # noqa: S603, S607 - a test tool from the path
    codes = [line for line in done.stdout.decode().split() if line.startswith("AB-")]
    assert (done.returncode, done.stderr) == (0, b"")
    assert codes[::2] == [label.code for label in _labels(code128, 40)]


def test_what_is_overridden_of_borb_is_there() -> None:
    """The one private method of borb that its writer's tokens pass through; if it is renamed, read its visitors."""
    assert list(signature(getattr_static(FacadeVisitor, "_append_bytes")).parameters) == ["self", "b"]
