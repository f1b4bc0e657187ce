"""Jobs of the sheet queue, and the text of the PDF files that they make."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pypdfium2

from barcodesvc.labels.label_content import LabelData
from barcodesvc.labels.label_requests import LabelsRequest
from barcodesvc.labels.sheet_job import SheetJob
from barcodesvc.symbols.registry import Symbology, find_symbology

CODE128 = find_symbology("CODE128")


def job_of(
    products: list[Any],
    layout: dict[str, Any],
    symbology: Symbology = CODE128,
    descriptions: Mapping[str, str] | None = None,
    **request: Any,
) -> SheetJob:
    """Return a job for these products, with a symbology that may be in no registry."""
    asked = LabelsRequest(products=products, layout=layout, **request)  # type: ignore[arg-type]  # validated
    texts = {code: {"description": text} for code, text in (descriptions or {}).items()}
    data = LabelData(date(2026, 1, 31), None, texts, None)
    return SheetJob(asked.model_copy(update={"code_type": symbology}), data)


def sheet_job(*codes: str, symbology: Symbology = CODE128, **descriptions: str) -> SheetJob:
    """Return a job for labels with these codes and the descriptions of some of them."""
    texts = {code: descriptions.get(code, "") for code in codes}
    return job_of(list(codes), {"include_description": True}, symbology, texts)


def lines_of(pdf: bytes) -> list[str]:
    """Return the text of all pages, line by line."""
    pages = pypdfium2.PdfDocument(pdf)
    return [line for page in pages for line in page.get_textpage().get_text_range().splitlines()]
