"""Further looks at a picture in which the first look finds no code for certain.

A look is a copy of the picture that shows something that the original hides: turned, enlarged, sharpened, with another
contrast, or with black and white exchanged. zxing-cpp reads linear codes along rows and columns of pixels. So it finds
them up to an angle whose tangent is the height of the code by its width: 11 degrees for a shelf label. So the parts
that have stripes at a slant are turned by that, in full size. Where no stripes are seen, for noise or faint light, the
whole picture is turned by steps of 15 degrees, which finds labels of a fifth of their width, and by half of that, which
finds stacked symbols. Before it is turned, its paper becomes white at each place, so that the corners of the copy are
no edges, and a small picture is enlarged. Of a picture that is larger than its copies, the place that is most like a
matrix symbol is cut out, and early, so that the copies that read least find no room.

Rule: the work is bounded by pixels and not by time, so that one picture always gives the same result. Copies have at
most `Effort.copy_pixels`, because the time for the finder patterns of QR codes grows with the square of the pixels.
Turned copies, whose corners are paper, and those that confirm another one have at most a million. Turned copies are
not searched for symbologies that zxing-cpp finds at every angle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from PIL import Image, ImageChops, ImageFilter, ImageOps

from barcodesvc.scanning.images.pixels import Pixels
from barcodesvc.scanning.images.squares import Box, square_on
from barcodesvc.scanning.images.stripes import Stripes, stripes_on

_TURNS: tuple[float, ...] = (15, -15, 45, 30, -30)
"""Degrees, counterclockwise: steps of 15 up to the right angle, whose multiples zxing-cpp tries itself."""
_TURNS_BETWEEN = (7.5, -7.5, 22.5, -22.5, 37.5, -37.5)
"""Those between, for stacked symbols, whose rows are a twelfth as high as they are wide."""
_NUDGE = 4
"""Degrees: less than the slant at which a code is no longer read."""
_ENLARGED = 200_000
"""Pixels up to which a picture is enlarged, at most twice, before it is turned: modules of 1 pixel would blur."""
_INVERTED = 200_000
"""The same of copies that are turned in white on black: few codes are."""
_SMALLEST_PART, _MOST_OF_PART = 200, 490_000
"""Pixels of the sides of a part with stripes at least, and of all of it at most; a larger part is reduced."""
_AROUND = 1.3
"""How much larger a part is than its stripes, of which some may be too pale to be seen."""
_AROUND_SQUARE = 1.4
"""The same of a matrix symbol, with its quiet zone."""
_MOST_ENLARGED = 2.5
"""How much a part with a matrix symbol is enlarged at most."""
_CUT_OFF = 1
"""Percent of the pixels at either end that may become black or white as the rest is stretched."""
_SMALLEST_SIDE = 8
_WHITE, _MIDDLE = 255, 128
_MOST_PIXELS = 1_000_000
"""Pixels of a copy that is turned, or enlarged to confirm another one."""
_ROUNDED_UP = 0.98
"""The share of the sides that a turned copy may have before they are rounded up."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much a picture may cost after its first look: pixels of each copy, and of all; parts with stripes.

    `has_square` says that the place of a matrix symbol is looked at, too; `thorough` first looks as `normal` does.
    """

    copy_pixels: int
    all_pixels: int
    parts: int
    has_square: bool


EFFORTS: dict[str, Effort] = {
    "normal": Effort(400_000, 9_200_000, parts=3, has_square=True),
    "thorough": Effort(1_000_000, 18_000_000, parts=5, has_square=False),
}

Point = tuple[float, float]
Threshold = Literal["local", "global", "fixed"]
"""What tells black from white: the surroundings, the whole picture, or half of white."""


@dataclass(frozen=True, slots=True)
class Look:
    """A copy to read: its pixels, where its points are in the original, and how to read it.

    `has_all_symbologies` is false if the copy can only add symbologies that zxing-cpp misses at some angles or in white
    on black.
    `upright` is the copy that was turned by `degrees`; `confirms` is true if it shows again what was in doubt. `kind`
    says how pixels were changed, since copies of one kind show the same mistakes, and `paper` is the colour of paper.
    """

    image: Image.Image
    original: Callable[[Point], Point]
    has_all_symbologies: bool = True
    threshold: Threshold = "local"
    kind: str = "plain"
    paper: int = _WHITE
    upright: Look | None = None
    degrees: float = 0
    confirms: bool = False

    def pixels(self) -> Pixels:
        """Return the pixels of the copy."""
        return Pixels(self.image.width, self.image.height, self.image.tobytes())


class Looks:
    """Looks at an upright grey picture, the most successful first, until these pixels or its effort are used up."""

    def __init__(self, image: Image.Image, effort: Effort, most_pixels: int) -> None:
        self.used = 0
        self._most = min(effort.all_pixels, most_pixels)
        turning = _enlarged(image, _at_most(image, effort.copy_pixels))
        self._white = replace(turning, image=_on_white(turning.image), kind="white")
        self._shaded = replace(turning, image=_without_shade(turning.image, 16, 2), kind="shaded", paper=_MIDDLE)
        self._planned = _looks(image, effort, self._white)
        self._confirming: list[Look] = []

    def __iter__(self) -> Iterator[Look]:
        """Return itself."""
        return self

    def __next__(self) -> Look:
        """Return the next look."""
        look = self._confirming.pop() if self._confirming else next(self._planned)
        used = self.used + look.image.width * look.image.height
        if used > self._most:
            raise StopIteration
        self.used = used
        return look

    def confirm(self, look: Look) -> None:
        """Look next at copies that are turned by some degrees more, and one of another kind: a code is seen again."""
        if look.confirms:
            return
        if look.kind == "inverted" and look.upright:
            turns = [_turned(look.upright, look.degrees + nudge) for nudge in (_NUDGE, -_NUDGE)]
            other = replace(look, kind="inverted, enlarged")
        elif look.upright:
            turns = [_turned(self._shaded, look.degrees + nudge) for nudge in (_NUDGE, -_NUDGE)]
            other = _turned(self._shaded, look.degrees)
        elif look.kind == "part":
            other = replace(look, image=_without_shade(look.image, 16, 2), kind="part, shaded", paper=_MIDDLE)
            turns = [_turned(other, nudge) for nudge in (_NUDGE, -_NUDGE)]
        else:
            turns = [replace(_turned(look, nudge), kind=f"{look.kind}, turned") for nudge in (_NUDGE, -_NUDGE)]
            other = self._white
        self._confirming = [replace(each, confirms=True) for each in (_resampled(other), *turns)]


def _looks(image: Image.Image, effort: Effort, white: Look) -> Iterator[Look]:
    small = _at_most(image, effort.copy_pixels)
    plain = small.image
    yield from (_part(image, stripes) for stripes in stripes_on(image, effort.parts))
    yield replace(small, image=_without_shade(plain, 16, 2), kind="shaded")
    yield replace(small, image=plain.filter(ImageFilter.UnsharpMask(2, 200, 2)), kind="sharp")
    if effort.has_square and image.width * image.height > effort.copy_pixels and (box := square_on(image)):
        yield from _square(image, box, effort)
    for degrees in _TURNS[:2]:
        yield _turned(white, degrees)
    yield from _resized(image, effort)
    yield replace(small, image=_without_shade(plain, 8, 3), kind="flat")
    yield replace(small, image=ImageChops.invert(plain), has_all_symbologies=False)
    for degrees in _TURNS[2:]:
        yield _turned(white, degrees)
    smaller = _at_most(image, min(effort.copy_pixels, _INVERTED))
    inverted = replace(smaller, image=_on_white(ImageChops.invert(smaller.image)), kind="inverted")
    for degrees in _TURNS:
        yield _turned(inverted, degrees)
    yield replace(
        small, image=plain.point([max(0, _WHITE - 2 * (_WHITE - value)) for value in range(256)]), kind="light"
    )
    yield replace(small, threshold="global", kind="global")
    yield replace(small, threshold="fixed", kind="fixed")
    yield replace(small, image=ImageOps.equalize(plain), kind="equalised")
    yield replace(small, image=plain.point([min(_WHITE, 2 * value) for value in range(256)]), kind="dark")
    for degrees in _TURNS_BETWEEN:
        yield _turned(white, degrees)


def _resized(image: Image.Image, effort: Effort) -> Iterator[Look]:
    """Yield the picture at double and half its size, as far as the copies may be that large."""
    if 4 * image.width * image.height <= effort.copy_pixels:
        yield _scaled(image, 2)
    yield _at_most(image, min(effort.copy_pixels, image.width * image.height) // 4)


def _enlarged(image: Image.Image, small: Look) -> Look:
    """Return an enlarged copy of a picture of few pixels, or else the small one."""
    scale = _enlargement(image.width * image.height)
    return _scaled(image, scale) if scale > 1 else small


def _enlargement(pixels: float) -> float:
    return min(2.0, math.sqrt(_ENLARGED / pixels))


def _at_most(image: Image.Image, pixels: int) -> Look:
    """Return a copy of at most this many pixels."""
    return _scaled(image, min(1.0, math.sqrt(pixels / (image.width * image.height))))


def _scaled(image: Image.Image, scale: float) -> Look:
    sampling = Image.Resampling.BICUBIC if scale > 1 else Image.Resampling.BOX
    width, height = (max(_SMALLEST_SIDE, round(side * scale)) for side in image.size)
    copy = image if scale == 1 else image.resize((width, height), sampling)
    return Look(copy, lambda point: (point[0] / scale, point[1] / scale))


def _resampled(look: Look) -> Look:
    """Return the look enlarged by half, or reduced to two thirds if it would have too many pixels."""
    scale = 3 / 2 if look.image.width * look.image.height <= _MOST_PIXELS * 4 / 9 else 2 / 3
    width, height = (max(_SMALLEST_SIDE, round(side * scale)) for side in look.image.size)

    def original(point: Point) -> Point:
        return look.original((point[0] / scale, point[1] / scale))

    return replace(look, image=look.image.resize((width, height), Image.Resampling.BICUBIC), original=original)


def _without_shade(image: Image.Image, part: int, contrast: float) -> Image.Image:
    """Return the difference from the mean of the surroundings, this part of the picture: without uneven light."""
    surroundings = image.filter(ImageFilter.BoxBlur(max(image.size) // part))
    return ImageChops.subtract(image, surroundings, 1 / contrast, _MIDDLE)


def _on_white(image: Image.Image) -> Image.Image:
    """Return the picture with white paper, as the corners of a turned copy are, whatever the light at each place."""
    window = max(1, max(image.size) // 64)
    paper = image.reduce(window).filter(ImageFilter.MaxFilter(7)).filter(ImageFilter.BoxBlur(3)).resize(image.size)
    return ImageOps.autocontrast(ImageChops.add(image, ImageChops.invert(paper)), _CUT_OFF)


def _part(image: Image.Image, stripes: Stripes) -> Look:
    """Return the rectangle around stripes, on white, turned so that they rise; a small one is enlarged."""
    width, height = (max(_SMALLEST_PART, _AROUND * side) for side in (stripes.width, stripes.height))
    scale = min(1.0, math.sqrt(_MOST_OF_PART / (width * height)))
    zoom = max(1.0, _enlargement(width * height))
    source = _scaled(image, scale)
    size = round(scale * zoom * width), round(scale * zoom * height)
    cosine, sine = (turn(math.radians(stripes.degrees)) / zoom for turn in (math.cos, math.sin))

    def at(point: Point) -> Point:
        x, y = point[0] - size[0] / 2, point[1] - size[1] / 2
        return scale * stripes.x + cosine * x - sine * y, scale * stripes.y + sine * x + cosine * y

    left, top = at((0, 0))
    place = (cosine, -sine, left, sine, cosine, top)
    part = source.image.transform(size, Image.Transform.AFFINE, place, Image.Resampling.BICUBIC, fillcolor=_WHITE)
    return Look(_on_white(part), lambda point: source.original(at(point)), has_all_symbologies=False, kind="part")


def _square(image: Image.Image, box: Box, effort: Effort) -> Iterator[Look]:
    """Yield the box with what is around it, smoother than noise: first without uneven light, then sharpened."""
    left, top, right, bottom = box
    across, down = (round((_AROUND_SQUARE - 1) / 2 * side) for side in (right - left, bottom - top))
    left, top = max(0, left - across), max(0, top - down)
    part = image.crop((left, top, min(image.width, right + across), min(image.height, bottom + down)))
    scaled = _scaled(part, min(_MOST_ENLARGED, math.sqrt(effort.copy_pixels / (part.width * part.height))))

    def original(point: Point) -> Point:
        x, y = scaled.original(point)
        return left + x, top + y

    longest = max(scaled.image.size)
    smooth = scaled.image.filter(ImageFilter.BoxBlur(longest / 200))
    yield Look(_without_shade(smooth, 20, 4), original, kind="square")
    sharp = smooth.filter(ImageFilter.UnsharpMask(longest / 40, 400, 0))
    yield Look(sharp, original, kind="square, sharp")


def _turned(upright: Look, degrees: float) -> Look:
    image = upright.image
    cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    width, height = image.width * cosine + image.height * abs(sine), image.width * abs(sine) + image.height * cosine
    scale = min(1.0, _ROUNDED_UP * math.sqrt(_MOST_PIXELS / (width * height)))
    if scale < 1:
        image = image.resize([max(1, round(side * scale)) for side in image.size], Image.Resampling.BOX)
    turned = image.rotate(degrees, Image.Resampling.BILINEAR, expand=True, fillcolor=upright.paper)

    def original(point: Point) -> Point:
        x, y = point[0] - turned.width / 2, point[1] - turned.height / 2
        across, down = cosine * x - sine * y + image.width / 2, sine * x + cosine * y + image.height / 2
        return upright.original((across / scale, down / scale))

    return replace(
        upright, image=turned, original=original, has_all_symbologies=False, upright=upright, degrees=degrees
    )
