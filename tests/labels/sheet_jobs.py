"""Jobs of the sheet queue, and the text of the PDF files that they make."""

from __future__ import annotations

import pypdfium2

from barcodesvc.labels.label_content import Entry, LabelContent
from barcodesvc.labels.print_settings import PrintSettings
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.labels.sheets import page_size, simple_sheet
from barcodesvc.symbols.registry import Symbology, find_symbology

CODE128 = find_symbology("CODE128")
SHEET = simple_sheet(page_size("A4"), 3, None)
DESCRIBED = LabelContent(("description",))


def sheet_job(*codes: str, symbology: Symbology = CODE128, **descriptions: str) -> SheetJob:
    """Return a job for labels with these codes and the descriptions of some of them."""
    products = {code: {"description": descriptions.get(code, "")} for code in codes}
    return SheetJob(len(codes), list(map(Entry, codes)), symbology, SHEET, PrintSettings(), DESCRIBED, products)


def lines_of(pdf: bytes) -> list[str]:
    """Return the text of all pages, line by line."""
    pages = pypdfium2.PdfDocument(pdf)
    return [line for page in pages for line in page.get_textpage().get_text_range().splitlines()]
