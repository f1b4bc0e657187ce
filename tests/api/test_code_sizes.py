"""Codes for print, `dpi` and `module_mm`: whole dots, pictures with their physical size, warnings, limits."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from barcodesvc.api.resources.code_requests import BarcodeRequest, QrRequest
from barcodesvc.codes.rendering import Rendering
from barcodesvc.symbols.registry import SYMBOLOGIES, Symbology
from barcodesvc.validation import validated
from tests.api.drawn_codes import drawn, image, png_image
from tests.api.replies import problems, refused
from tests.fixture_types import Client
from tests.properties import examples
from tests.sweeps import sweep

BOTH = pytest.mark.parametrize("kind", ["barcode", "qrcode"])
MODULES = {"barcode": 88, "qrcode": 29}
"""Modules of the code A-1, including quiet zones."""
CODE128 = "0.169 mm is narrower than 0.191 mm, the minimum for CODE128; at 300 dpi that is 3"
DATAMATRIX = "0.125 mm is narrower than 0.25 mm, the minimum for DATAMATRIX; at 203 dpi that is 2"
QR = "0.127 mm is narrower than 0.25 mm, the minimum for QR; at 600 dpi that is 6"


def _rendered(kind: str, fields: Mapping[str, object]) -> Rendering:
    """Return what a request of these fields draws."""
    wanted = {"product_code": "A-1", **fields}
    key = validated(BarcodeRequest, wanted).key if kind == "barcode" else validated(QrRequest, wanted).key
    return key.render()


def _dots_per_inch(rendering: Rendering) -> tuple[float, float] | None:
    """Return the resolution that Pillow finds in the PNG."""
    return image(rendering.png).info.get("dpi")


def _svg_size(rendering: Rendering) -> tuple[str, str]:
    root = ET.fromstring(rendering.svg)  # noqa: S314 - a document of our own
    return root.attrib["width"], root.attrib["height"]


def _millimetres(length: str) -> float:
    assert length.endswith("mm")
    return float(length.removesuffix("mm"))


@BOTH
def test_without_a_resolution_a_picture_has_pixels_alone(kind: str) -> None:
    """No pHYs in the PNG, plain numbers in the SVG, and no warnings, however small the modules are."""
    rendering = _rendered(kind, {"width": 1} if kind == "barcode" else {"size": 29})
    assert _dots_per_inch(rendering) is None
    assert _svg_size(rendering) == tuple(map(str, image(rendering.png).size))
    assert rendering.warnings == ()


@BOTH
@examples(40)
@given(dpi=st.floats(25, 4800) | st.integers(25, 4800) | st.sampled_from([72, 203, 203.2, 300, 304.8, 600, 1200]))
def test_a_resolution_is_reported_by_both_pictures(kind: str, dpi: float) -> None:
    """The PNG has whole dots per metre, the SVG the millimetres of the same pixels, which it does not change."""
    rendering = _rendered(kind, {"dpi": dpi})
    per_metre = round(dpi / 0.0254)
    assert _dots_per_inch(rendering) == pytest.approx((per_metre * 0.0254,) * 2)
    for length, pixels in zip(_svg_size(rendering), image(rendering.png).size, strict=True):
        assert _millimetres(length) == pytest.approx(pixels * 25.4 / dpi, abs=0.00006)
    assert image(rendering.png).tobytes() == image(_rendered(kind, {}).png).tobytes()


@BOTH
def test_a_module_alone_is_meant_for_300_dpi(kind: str) -> None:
    """The default resolution is that of a common label printer."""
    alone = _rendered(kind, {"module_mm": 0.5})
    assert alone == _rendered(kind, {"module_mm": 0.5, "dpi": 300})
    assert _dots_per_inch(alone) == pytest.approx((300, 300), abs=0.01)


@BOTH
@examples(40)
@given(module=st.floats(0.01, 2), dpi=st.floats(25, 1200))
def test_a_module_is_the_nearest_whole_number_of_dots(kind: str, module: float, dpi: float) -> None:
    """The image is as wide as that many dots for each of its modules, at least one."""
    rendering = _rendered(kind, {"module_mm": module, "dpi": dpi})
    dots, rest = divmod(image(rendering.png).width, MODULES[kind])
    assert rest == 0
    assert dots >= 1
    assert dots == 1 or abs(dots - module * dpi / 25.4) <= 0.5 + 1e-9
    assert dots > 1 or module * dpi / 25.4 <= 1.5 + 1e-9


@sweep(
    ("kind", "asked", "warning"),
    [
        ("barcode", {"dpi": 300}, CODE128),
        ("barcode", {"dpi": 300, "width": 200}, CODE128),
        ("barcode", {"module_mm": 0.2}, CODE128),
        ("barcode", {"module_mm": 0.25}, None),
        ("barcode", {"dpi": 203, "width": 1, "format": "datamatrix"}, DATAMATRIX),
        ("barcode", {"dpi": 304.8, "width": 3, "format": "datamatrix"}, None),
        ("barcode", {"dpi": 3175, "module_mm": 0.264, "format": "EAN2", "product_code": "12"}, None),
        ("qrcode", {"dpi": 600, "size": 100}, QR),
        ("qrcode", {"dpi": 300}, None),
    ],
)
def test_a_module_that_is_too_narrow_is_warned_of(kind: str, asked: dict[str, Any], warning: str | None) -> None:
    """The warning says how narrow it is, what the symbology needs, and how many pixels that would be."""
    expected = (f"a module of {warning} pixels a module",) if warning else ()
    assert _rendered(kind, asked).warnings == expected


@examples(40)
@given(symbology=st.sampled_from(SYMBOLOGIES), module=st.integers(1, 10), dpi=st.integers(25, 4800))
def test_warnings_begin_below_the_least_module(symbology: Symbology, module: int, dpi: int) -> None:
    """Only modules narrower than the registry's minimum are warned of, and the suggested pixels are the fewest."""
    wanted = {"product_code": symbology.example, "format": symbology.name, "height": 10, "displayValue": False}
    rendering = _rendered("barcode", {**wanted, "dpi": dpi, "width": module})
    millimetres, least = Fraction(module) * Fraction("25.4") / dpi, Fraction(str(symbology.least_module))
    narrow = [warning for warning in rendering.warnings if warning.startswith("a module of ")]
    assert len(narrow) == (millimetres < least)
    if narrow:
        fewest = math.ceil(least * dpi / Fraction("25.4"))
        assert narrow[0].endswith(f"at {dpi} dpi that is {fewest} pixels a module")


@pytest.mark.parametrize(("kind", "pixels"), [("barcode", "width"), ("qrcode", "size")])
async def test_pixels_and_millimetres_do_not_go_together(client: Client, kind: str, pixels: str) -> None:
    """Two sizes are refused, in either order; a resolution together with pixels is accepted."""
    expected = {pixels: f"{pixels} and module_mm both say how large; leave one of them out"}
    for body in ({pixels: 100, "module_mm": 0.3}, {"module_mm": 0.3, pixels: 100, "dpi": 300}):
        response = await client.post(f"/api/codes/{kind}", json={"product_code": "A-1", **body})
        assert await problems(response) == expected
    await drawn(client, kind, product_code="A-1", dpi=300, **{pixels: 100})


async def test_an_image_has_at_most_25_million_pixels(client: Client) -> None:
    """29 modules of 172 dots are 4988 pixels a side and are drawn, of 173 dots they are too many, for QR and bars."""
    body = {"product_code": "A-1", "dpi": 2540}
    assert png_image(await drawn(client, "qrcode", **body, module_mm=1.72)).size == (4988, 4988)
    for kind, change, size in (
        ("qrcode", {"module_mm": 1.73}, "5017 x 5017"),
        ("barcode", {"module_mm": 10, "height": 2000, "displayValue": False}, "88000 x 2000"),
    ):
        response = await client.post(f"/api/codes/{kind}", json={**body, **change})
        reply = await refused(response, 400, "VALIDATION_ERROR")
        assert reply["message"] == f"module_mm: the image would have {size} pixels, more than 25000000 in total"
        assert (
            [problem["field"] for problem in reply["details"]["errors"]] == [reply["details"]["rule"]] == ["module_mm"]
        )
