"""Pictures of renderings, read by libraries that the service does not use."""

from io import BytesIO

import resvg_py
from PIL import Image

from barcodesvc.codes.rendering import Rendering


def png_picture(rendering: Rendering) -> Image.Image:
    """Return a rendering's PNG as Pillow reads it."""
    return Image.open(BytesIO(rendering.png))


def svg_picture(rendering: Rendering) -> Image.Image:
    """Return a rendering's SVG as resvg rasterises it at its own size, without any font, so only its modules."""
    png = resvg_py.svg_to_bytes(svg_string=rendering.svg.decode(), skip_system_fonts=True)
    return Image.open(BytesIO(bytes(png))).convert("L")
