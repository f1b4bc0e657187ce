"""Where a picture is full of small dark and light places, as a matrix symbol is.

In a copy of a large picture the modules of such a symbol blur, and in full size noise or faint light hides them from
zxing-cpp, which takes its threshold from a few pixels. So the place is cut out, and its copies have the size, the
smoothness and the contrast that suit it. Without this, photos with such codes in poor light are not read.

Modules differ from the mean of what is near. So the mean of that difference, by cell of a grid, shows where they are.
It is computed from the logarithm of the grey values, which shade does not change. The cells that have much of it, and
are connected to the one that has the most, are the place.
"""

import math

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageStat

_SEARCHED = 750_000
"""Pixels of the copy that is searched: fewer are faster and hide noise, more show smaller modules."""
_CELL = 8
"""Pixels of a side of a cell in that copy."""
_NEAR = 4
"""Pixels of that copy that are near, in each direction."""
_BLACKEST = 12
"""The grey value below which noise makes most of a difference, so that there the logarithm is nearly a line."""
_MAGNIFIED = 4
"""By how much differences are multiplied, so that their mean over a cell is finer than whole numbers."""
_LEAST = 8
"""The least difference, as it is magnified, of the place from the usual cell."""
_SHARE = 0.4
"""The share of the greatest difference that the cells of the place have at least."""
_LIGHTNESS = [round(255 * math.log(1 + value / _BLACKEST) / math.log(1 + 255 / _BLACKEST)) for value in range(256)]
_MAGNIFY = [min(255, _MAGNIFIED * value) for value in range(256)]

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the picture."""


def square_on(image: Image.Image) -> Box | None:
    """Return the box around the place with the greatest contrast between near pixels, or none if all are alike."""
    factor = max(1, math.ceil(math.sqrt(image.width * image.height / _SEARCHED)))
    copy = image.reduce(factor)
    if min(copy.size) < 2 * _CELL:
        return None
    contrasts = _contrasts(copy)
    usual, greatest = ImageStat.Stat(contrasts).median[0], max(contrasts.tobytes())
    if greatest < usual + _LEAST:
        return None
    least = usual + _SHARE * (greatest - usual)
    places = contrasts.point([255 * (value >= least) for value in range(256)])
    others = places.copy()
    row, column = divmod(contrasts.tobytes().index(greatest), contrasts.width)
    ImageDraw.floodfill(others, (column, row), 0)
    box, size = ImageChops.difference(places, others).getbbox(), factor * _CELL
    return box and (size * box[0], size * box[1], size * box[2], size * box[3])


def _contrasts(image: Image.Image) -> Image.Image:
    """Return the mean difference of the pixels of each whole cell, and those around it, from what is near them."""
    light = image.point(_LIGHTNESS)
    differences = ImageChops.difference(light, light.filter(ImageFilter.BoxBlur(_NEAR))).point(_MAGNIFY)
    whole = differences.crop((0, 0, image.width // _CELL * _CELL, image.height // _CELL * _CELL))
    return whole.reduce(_CELL).filter(ImageFilter.BoxBlur(1))
