"""Further looks at a picture in which the first look finds no code for certain.

A look is a copy of the picture that shows something which the original hides: turned, enlarged, sharpened, with another
contrast, or with black and white exchanged. zxing-cpp reads linear codes along rows and columns of pixels. So it finds
them up to an angle whose tangent is the height of the code by its width: 11 degrees for a shelf label. Turning by steps
of 15 degrees finds all.

Rule: the work is bounded by pixels and not by time, so that one picture always gives the same result. Copies have at
most `Effort.copy_pixels`, because the time for the finder patterns of QR codes grows with the square of the pixels.
Turned copies are not searched for symbologies that zxing-cpp finds at every angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from PIL import Image, ImageChops, ImageFilter

from barcodesvc.scanning.pixels import Pixels

_TURNS = (15, -15, 45, 30, -30, 60, -60, 75, -75, -45)
"""Degrees, counterclockwise: steps of 15 up to the right angle, whose multiples zxing-cpp tries itself; the most likely
first."""
_NUDGE = 4
"""Degrees: less than the slant at which a code is no longer read."""
_CONTRAST = 2
_SMALLEST_SIDE = 8
_WHITE = 255


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a picture may cost after its first look: pixels of each copy, and of all copies together."""

    copy_pixels: int
    all_pixels: int


EFFORTS: dict[str, Effort] = {"normal": Effort(400_000, 10_000_000), "thorough": Effort(1_000_000, 24_000_000)}

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Look:
    """A copy to read: its pixels, where its points are in the original, and how to read it.

    `has_all_symbologies` is false where only those are new that zxing-cpp does not find at any angle and in any colour.
    What is in doubt in such a copy is seen again where `upright` is turned by a few degrees more than `degrees`.
    """

    image: Image.Image
    original: Callable[[Point], Point]
    has_all_symbologies: bool = True
    has_one_threshold: bool = False
    upright: Image.Image | None = None
    degrees: int = 0

    def pixels(self) -> Pixels:
        """Return the pixels of the copy."""
        return Pixels(self.image.width, self.image.height, self.image.tobytes())


class Looks:
    """Looks at an upright grey picture, the most successful first, until their pixels are used up."""

    def __init__(self, image: Image.Image, effort: Effort) -> None:
        copy, scale = _at_most(image, effort.copy_pixels)
        self._back = _scaled_back(scale)
        self._left = effort.all_pixels
        self._planned = _looks(image, effort, copy, self._back)
        self._confirming: list[Look] = []

    def __iter__(self) -> Iterator[Look]:
        """Return itself."""
        return self

    def __next__(self) -> Look:
        """Return the next look."""
        look = self._confirming.pop() if self._confirming else next(self._planned)
        self._left -= look.image.width * look.image.height
        if self._left < 0:
            raise StopIteration
        return look

    def confirm(self, look: Look) -> None:
        """Look next at nearly the same angle, where a code is seen again."""
        if look.upright:
            turns = (_turned(look.upright, look.degrees + nudge, self._back) for nudge in (_NUDGE, -_NUDGE))
            self._confirming = [replace(turned, upright=None) for turned in turns]


def _looks(image: Image.Image, effort: Effort, small: Image.Image, back: Callable[[Point], Point]) -> Iterator[Look]:
    yield Look(_without_shade(small), back)
    yield Look(small.filter(ImageFilter.UnsharpMask(2, 200, 2)), back)
    for degrees in _TURNS[:2]:
        yield _turned(small, degrees, back)
    yield from _resized(image, effort)
    inverted = ImageChops.invert(small)
    yield Look(inverted, back, has_all_symbologies=False, upright=inverted)
    for degrees in _TURNS[2:]:
        yield _turned(small, degrees, back)
    yield Look(small.point([max(0, _WHITE - _CONTRAST * (_WHITE - value)) for value in range(256)]), back)
    yield Look(small, back, has_one_threshold=True)
    yield Look(small.point([min(_WHITE, _CONTRAST * value) for value in range(256)]), back)


def _resized(image: Image.Image, effort: Effort) -> Iterator[Look]:
    """Yield the picture at double and half its size, as far as the copies may be that large."""
    if 4 * image.width * image.height <= effort.copy_pixels:
        yield Look(image.resize((2 * image.width, 2 * image.height), Image.Resampling.BICUBIC), _scaled_back(2))
    smaller, scale = _at_most(image, min(effort.copy_pixels, image.width * image.height) // 4)
    yield Look(smaller, _scaled_back(scale))


def _at_most(image: Image.Image, pixels: int) -> tuple[Image.Image, float]:
    """Return a copy of at most this many pixels, and its scale."""
    scale = min(1.0, math.sqrt(pixels / (image.width * image.height)))
    if scale == 1.0:
        return image, scale
    sides = (max(_SMALLEST_SIDE, round(side * scale)) for side in image.size)
    return image.resize(tuple(sides), Image.Resampling.BOX), scale


def _without_shade(image: Image.Image) -> Image.Image:
    """Return the difference from the mean of the surroundings: local contrast, without uneven light."""
    surroundings = image.filter(ImageFilter.BoxBlur(max(image.size) // 16))
    return ImageChops.subtract(image, surroundings, 1 / _CONTRAST, 128)


def _turned(image: Image.Image, degrees: int, back: Callable[[Point], Point]) -> Look:
    turned = image.rotate(degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=_WHITE)
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def original(point: Point) -> Point:
        x, y = point[0] - turned.width / 2, point[1] - turned.height / 2
        return back((cosine * x - sine * y + image.width / 2, sine * x + cosine * y + image.height / 2))

    return Look(turned, original, has_all_symbologies=False, upright=image, degrees=degrees)


def _scaled_back(scale: float) -> Callable[[Point], Point]:
    return lambda point: (point[0] / scale, point[1] / scale)
