"""The cost of the largest images that a client may request."""

import tracemalloc
from collections.abc import Callable

import pytest
from PIL import Image

from barcodesvc.codes.layout import GreatestWidth, ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey, QrKey, Rendering, RenderKey
from barcodesvc.symbols.registry import find_symbology

Picture = Callable[[Rendering], Image.Image]

LARGEST: dict[str, tuple[RenderKey, tuple[int, int]]] = {
    "64 characters of Code 39 at ten pixels a module": (
        BarcodeKey(find_symbology("CODE39"), "A-" * 32, ModuleWidth(10), 2000, with_text=True),
        (10 * (16 * 66 - 1 + 20), 2111),
    ),
    "the widest modules": (
        BarcodeKey(find_symbology("EAN8"), "96385074", GreatestWidth(4000), 2000, with_text=True),
        (49 * 81, 2541),
    ),
    "the largest QR code": (QrKey("a" * 2953, "L", 4000), (4000, 4000)),
}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_images_stay_small_in_memory(name: str, png_picture: Picture) -> None:
    """An image of ten to twenty million pixels takes less than 10 MB to draw and a response of 300 kB."""
    key, size = LARGEST[name]
    tracemalloc.start()
    try:
        rendering = key.render()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert png_picture(rendering).size == size
    assert peak < 10_000_000
    assert rendering.weight < 300_000
