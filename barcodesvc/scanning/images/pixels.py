"""Decoding an image file to grey pixels, as a viewer shows them: upright, with transparent areas on white.

The content decides which of six formats a file has. Each is read by its class of Pillow, so that none of its other
plugins ever runs; the first image of an animation or document counts. Costs are limited before pixels are decoded: by
the size in the header, the tiles of a TIFF, and the scans of a JPEG.

A grey pixel takes one byte. Before that, Pillow holds four for a coloured one (WebP: some twelve), except for a JPEG,
of which only the luma is decoded. Values of more than 8 bits are stretched from their lowest to their highest.

Pillow's warnings about untrusted files are not logged, in any process.
"""

import math
import warnings
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import cast

from PIL import Image, ImageFile
from PIL.BmpImagePlugin import BmpImageFile
from PIL.ExifTags import Base
from PIL.GifImagePlugin import GifImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TILELENGTH, TILEWIDTH, TiffImageFile
from PIL.WebPImagePlugin import WebPImageFile

from barcodesvc.errors import FileTooLarge, InvalidFileFormat

for _category in (UserWarning, Image.DecompressionBombWarning):
    warnings.filterwarnings("ignore", category=_category, module=r"PIL\.")

MOST_PIXELS = 50_000_000
LONGEST_SIDE = 65_535
"""Pixels of a side, the limit of JPEG and GIF."""
MOST_SCANS = 100
"""Scans of a JPEG; a progressive one has about ten, and even a short one costs a pass over all pixels."""

_MOST = f"send one of at most {MOST_PIXELS // 1_000_000} megapixels and {LONGEST_SIDE} pixels a side"
_START_OF_SCAN = b"\xff\xda"
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", PngImageFile),
    (b"\xff\xd8\xff", JpegImageFile),
    (b"GIF87a", GifImageFile),
    (b"GIF89a", GifImageFile),
    (b"II*\0", TiffImageFile),
    (b"MM\0*", TiffImageFile),
    (b"II+\0", TiffImageFile),
    (b"MM\0+", TiffImageFile),
    (b"BM", BmpImageFile),
)
_DEEP = ("I", "F", "I;16", "I;16B", "I;16L")
"""Pillow's modes of more than 8 bits."""
_STRETCHED = ("I", "F", "I;16")
"""Those that it can stretch."""
_TURNS: dict[object, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""How to turn an image upright, by the value of its Exif orientation (Exif 2.32, 4.6.4, tag 0x0112)."""
_WHITE = 255
_THRESHOLD = 128
"""The darkest grey that is light in an image in black and white."""


@dataclass(frozen=True, slots=True)
class Pixels:
    """Grey pixels, one byte each, row by row; 0 is black."""

    width: int
    height: int
    luma: bytes

    def image(self) -> Image.Image:
        """Return the pixels as an image of Pillow, which shares them."""
        return Image.frombuffer("L", (self.width, self.height), self.luma, "raw", "L", 0, 1)


def grey_pixels(content: bytes) -> Pixels:
    """Return the pixels of an image file.

    Raises InvalidFileFormat for a damaged file or another format, FileTooLarge for too many pixels or too much memory.
    """
    kind = _kind(content)
    with _damage_as_refusal(kind):
        image = kind(BytesIO(content))
        _check_costs(image, content)
        upright = _upright(image)
        return Pixels(*upright.size, upright.tobytes())


def black_and_white(_: object, content: bytes) -> dict[str, int | str]:
    """Return the pixels of an image file on white paper, dark ones black, as JSON; raises what `grey_pixels` raises.

    `pixels` is base64 of rows, eight pixels to a byte and 1 for dark, each from a whole byte on. For a worker process,
    without progress reports.
    """
    grey = grey_pixels(content)
    dark = grey.image().point([255 * (value < _THRESHOLD) for value in range(256)], mode="1")
    return {"width": grey.width, "height": grey.height, "pixels": b64encode(dark.tobytes()).decode()}


def _kind(content: bytes) -> type[ImageFile.ImageFile]:
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return WebPImageFile
    for signature, kind in _SIGNATURES:
        if content.startswith(signature):
            return kind
    raise InvalidFileFormat("this is not a PNG, JPEG, WebP, GIF, TIFF or BMP image; send the image in one of these")


@contextmanager
def _damage_as_refusal(kind: type[ImageFile.ImageFile]) -> Iterator[None]:
    try:
        yield
    except FileTooLarge:
        raise
    except Image.DecompressionBombError as error:  # Pillow's limit, for formats of which it checks the size earlier
        raise FileTooLarge(f"the {kind.format} image is too large; {_MOST}") from error
    except MemoryError as error:
        raise FileTooLarge(f"the {kind.format} image takes too much memory to read; {_MOST}") from error
    except Exception as error:  # a hostile file can make Pillow raise nearly anything
        raise InvalidFileFormat(f"the {kind.format} image cannot be read; it is truncated or damaged") from error


def _check_costs(image: ImageFile.ImageFile, content: bytes) -> None:
    width, height = image.size
    if width * height > MOST_PIXELS or max(width, height) > LONGEST_SIDE:
        raise FileTooLarge(f"the image is {width} x {height} pixels; {_MOST}", width=width, height=height)
    if isinstance(image, JpegImageFile) and content.count(_START_OF_SCAN) > MOST_SCANS:
        raise FileTooLarge(f"the JPEG image has more than {MOST_SCANS} scans; save it as a baseline JPEG")
    if _tile_pixels(image) > MOST_PIXELS:
        raise FileTooLarge("the tiles of the TIFF image are larger than any image may be; save it without tiles")


def _tile_pixels(image: ImageFile.ImageFile) -> int:
    """Return the pixels of a tile, at least one of which is decoded; 0 if there are none."""
    tags = image.tag_v2 if isinstance(image, TiffImageFile) else {}
    return int(tags.get(TILEWIDTH, 0)) * int(tags.get(TILELENGTH, 0))


def _upright(image: ImageFile.ImageFile) -> Image.Image:
    image.draft("L", None)
    grey = _grey(image)
    turn = _TURNS.get(_orientation(image))
    return grey if turn is None else grey.transpose(turn)


def _orientation(image: ImageFile.ImageFile) -> object:
    """Return the Exif orientation; a loaded TIFF image is already upright, and has none."""
    with suppress(Exception):  # without readable metadata, the image is not turned
        return image.getexif().get(Base.Orientation)
    return None


def _grey(image: Image.Image) -> Image.Image:
    image.load()
    if image.mode in _DEEP:
        return _stretched(image)
    if image.mode == "LAB":
        return image.getchannel("L")
    if not image.has_transparency_data:
        return image if image.mode == "L" else image.convert("L")
    if "A" not in image.getbands():
        image = image.convert("RGBA" if image.mode == "RGB" else "LA")
    paper = Image.new("L", image.size, _WHITE)
    paper.paste(image.convert("L"), mask=image.getchannel("A"))
    return paper


def _stretched(image: Image.Image) -> Image.Image:
    deep = image if image.mode in _STRETCHED else image.convert("I")
    low, high = cast("tuple[float, float]", deep.getextrema())  # of an image with one band
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return Image.new("L", deep.size, _WHITE)
    scale = _WHITE / span
    return deep.point(lambda value: value * scale - low * scale).convert("L")
