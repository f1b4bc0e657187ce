"""Pictures of renderings, read by libraries that the service does not use."""

import io
from collections.abc import Callable

import pytest
import resvg_py
from PIL import Image

from barcodesvc.codes.rendering import Rendering

Picture = Callable[[Rendering], Image.Image]


def _png_picture(rendering: Rendering) -> Image.Image:
    picture = Image.open(io.BytesIO(rendering.png))
    picture.load()
    return picture


def _svg_picture(rendering: Rendering) -> Image.Image:
    """Rasterise without any font, so that the picture shows only the modules."""
    png = resvg_py.svg_to_bytes(svg_string=rendering.svg.decode(), skip_system_fonts=True)
    return Image.open(io.BytesIO(bytes(png))).convert("L")


@pytest.fixture(scope="session")
def png_picture() -> Picture:
    """Return a function that reads a rendering's PNG with Pillow."""
    return _png_picture


@pytest.fixture(scope="session")
def svg_picture() -> Picture:
    """Return a function that rasterises a rendering's SVG with resvg, only its modules, at its own size."""
    return _svg_picture
