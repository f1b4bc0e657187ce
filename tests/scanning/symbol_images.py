"""Symbols as the service draws them, as image files of any type, and as a camera may see them."""

import random
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import zxingcpp
from PIL import Image, ImageChops, ImageFilter

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.scanning.images.pixels import grey_pixels
from barcodesvc.symbols.registry import find_symbology
from tests.scanning.pictures.drawn_codes import codes_on

PAPER = 235
_SIDE = 520


def symbol(
    name: str = "CODE128", content: str = "AB-12345", module: int = 2, height: int = 80, *, with_text: bool = False
) -> Image.Image:
    """Return the picture of a symbol, grey, with its digits under the bars on request."""
    key = BarcodeKey(find_symbology(name), content, ModuleWidth(module), height, with_text=with_text)
    return Image.open(BytesIO(key.render().png)).convert("L")


def drawn_by_zxing(name: str, content: str) -> Image.Image:
    """Return the picture of a symbol that the service does not draw, by zxing-cpp's name without spaces."""
    made = zxingcpp.create_barcode(content, zxingcpp.BarcodeFormat.__members__[name])
    drawn = zxingcpp.write_barcode_to_image(made, scale=6, add_quiet_zones=True)
    return Image.frombytes("L", drawn.shape[1::-1], bytes(memoryview(drawn)))  # type: ignore[arg-type]  # no stubs


def on_paper(*symbols: tuple[Image.Image, tuple[int, int]], side: int = _SIDE) -> Image.Image:
    """Return a light square with symbols, each with its top left corner at a position."""
    paper = Image.new("L", (side, side), PAPER)
    for picture, position in symbols:
        paper.paste(picture, position)
    return paper


def turned(image: Image.Image, degrees: float, paper: int = 255) -> Image.Image:
    """Return the whole image turned to the left, on a larger sheet of paper."""
    return image.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=paper)


def file_of(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return the image as a file of this type."""
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def finder_patterns(side: int) -> bytes:
    """Return a small file, a square full of finder patterns, for which zxing-cpp needs time quadratic in its pixels."""
    eye = Image.new("1", (9, 9), 1)
    for edge, colour in ((1, 0), (2, 1), (3, 0)):
        eye.paste(colour, (edge, edge, 9 - edge, 9 - edge))
    paper = Image.new("1", (side, side), 1)
    for x in range(0, side, 9):
        paper.paste(eye, (x, 0))
    row = paper.crop((0, 0, side, 9))
    for y in range(9, side, 9):
        paper.paste(row, (0, y))
    return file_of(paper)


def texts(content: bytes) -> list[str]:
    """Return the texts of the codes in an image file."""
    return [code.text for code in codes_on(grey_pixels(content))]


def harder(image: Image.Image) -> Iterator[tuple[str, Image.Image]]:
    """Yield the original image, then increasingly difficult versions, in steps of each kind."""
    yield "plain", image
    for degrees in (3, 15, 45, 90, 180, 222):
        yield f"rotated {degrees}", image.rotate(degrees, Image.Resampling.BICUBIC, fillcolor=PAPER)
    for radius in (0.5, 1.0, 1.5, 2.0, 3.0):
        yield f"blurred {radius}", image.filter(ImageFilter.GaussianBlur(radius))
    for sigma in (20, 50, 90):
        yield f"noise {sigma}", _noisy(image, sigma)
    for light in (50, 20, 8, 3):
        yield f"light {light} %", image.point([value * light // 100 for value in range(256)])
    for tilt in (0.1, 0.3, 0.6):
        yield f"perspective {tilt}", _tilted(image, tilt)
    yield "inverted", ImageChops.invert(image)


def _noisy(image: Image.Image, sigma: float) -> Image.Image:
    chance = random.Random(sigma)  # noqa: S311 - the same noise on every run
    noise = bytes(min(255, max(0, round(chance.gauss(128, sigma)))) for _ in range(4096 + image.width))
    starts = [chance.randrange(4096) for _ in range(image.height)]
    rows = b"".join(noise[start : start + image.width] for start in starts)
    return ImageChops.add(image, Image.frombytes("L", image.size, rows), 1, -128)


def _tilted(image: Image.Image, tilt: float) -> Image.Image:
    """Return the image as if its lower end were farther away."""
    middle, far = image.width / 2, tilt / image.height
    plane = (1 + tilt, middle * far, -tilt * middle, 0, 1 + tilt, 0, 0, far)
    return image.transform(image.size, Image.Transform.PERSPECTIVE, plane, Image.Resampling.BICUBIC, fillcolor=PAPER)
