"""Symbols built straight from the encoding libraries, and pages rendered at 600 dpi."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

import barcode
import pypdfium2
import pytest
import segno
from PIL.Image import Image

from barcodesvc.symbols.modules import Bars, Caption, Matrix


def _runs(modules: str) -> tuple[int, ...]:
    return tuple(len(list(run)) for _, run in groupby(modules))


def _code128(content: str) -> Bars:
    runs = _runs(barcode.get("code128", content).build()[0])
    return Bars(runs, 10, 10, (Caption(content, 10, 10 + sum(runs)),))


def _ean13(content: str) -> Bars:
    ean = barcode.get("ean13", content)
    digits = ean.get_fullcode()
    captions = (Caption(digits[0], 0, 9), Caption(digits[1:7], 14, 56), Caption(digits[7:], 61, 103))
    runs = _runs(ean.build()[0].replace("G", "1"))
    return Bars(runs, 11, 7, captions, frozenset({0, 2, 28, 30, 56, 58}))


def _qr(content: str) -> Matrix:
    return Matrix(tuple(bytes(row) for row in segno.make(content, micro=False).matrix), 4)


def _rendered(pdf: bytes) -> list[Image]:
    document = pypdfium2.PdfDocument(pdf)
    return [page.render(scale=600 / 72, grayscale=True).to_pil() for page in document]


@pytest.fixture(scope="session")
def code128() -> Callable[[str], Bars]:
    """Return an encoder of Code 128 with its content as caption."""
    return _code128


@pytest.fixture(scope="session")
def ean13() -> Callable[[str], Bars]:
    """Return an encoder of EAN-13 with its digits split around the guards."""
    return _ean13


@pytest.fixture(scope="session")
def qr() -> Callable[[str], Matrix]:
    """Return an encoder of QR codes."""
    return _qr


@pytest.fixture(scope="session")
def encoders() -> dict[str, Callable[[str], Bars | Matrix]]:
    """Return encoders of any text by name."""
    return {"code128": _code128, "qr": _qr}


@pytest.fixture(scope="session")
def rendered() -> Callable[[bytes], list[Image]]:
    """Return a renderer of PDF pages, 600 pixels an inch, grey."""
    return _rendered
