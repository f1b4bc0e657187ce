"""Pictures that cost most: the processor time of further looks at them, for each effort.

Small pictures have as many pixels as one that is read in a kept process, large ones five times as many. Of finder
patterns only small ones are read, because a first look at large ones takes minutes.
"""

import random
from collections.abc import Iterator
from io import BytesIO

from PIL import Image

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.scanning.images.codes import EffortName
from barcodesvc.scanning.images.pixels import Pixels
from barcodesvc.scanning.images.reading import codes_with_effort
from barcodesvc.symbols.registry import find_symbology
from scripts.benchmarks.alone import timed
from scripts.benchmarks.report import Figure, at_most

SMALL, LARGE = 1090, 2400
"""Pixels of a side."""
BOUNDS: dict[EffortName, float] = {"normal": 1.0, "thorough": 2.5}
"""Seconds of processor time that further looks may take."""
_PAPER = 255
_EYE = 8
"""Pixels of a finder pattern and the gap to the next."""
_PITCHES = (5, 5.5)
"""Pixels between the lines of two sets, which make a moire."""
_LOW = 5
"""Pixels of the height of a code that is read in doubt."""


def hostile() -> Iterator[Figure]:
    """Yield the longest time of further looks for each effort."""
    seconds = {name: _seconds(picture) for name, picture in _pictures()}
    for effort, bound in BOUNDS.items():
        extra = {name: spent[effort] - spent["quick"] for name, spent in seconds.items()}
        note = ", ".join(f"{name} {more:.2f}" for name, more in extra.items())
        yield Figure(
            f"further looks at hostile pictures, {effort}, the longest", max(extra.values()), "s", at_most(bound), note
        )


def _finder_patterns(width: int, height: int) -> Image.Image:
    """Return a picture full of the finder patterns of QR codes, as close as possible, in black and white."""
    eye = Image.new("1", (_EYE, _EYE), 1)
    for edge, colour in ((0, 0), (1, 1), (2, 0)):
        eye.paste(colour, (edge, edge, _EYE - 1 - edge, _EYE - 1 - edge))
    row = Image.new("1", (width, _EYE), 1)
    for x in range(0, width, _EYE):
        row.paste(eye, (x, 0))
    paper = Image.new("1", (width, height), 1)
    for y in range(0, height, _EYE):
        paper.paste(row, (0, y))
    return paper


def _low_codes(side: int) -> Image.Image:
    """Return a square full of different EAN-8 that are so low that each is in doubt."""
    paper, gap = Image.new("L", (side, side), _PAPER), 2
    numbers = iter(range(1_000_000, 10_000_000))
    for y in range(0, side - _LOW, _LOW + gap):
        x = 0
        while x < side:
            key = BarcodeKey(find_symbology("EAN8"), str(next(numbers)), ModuleWidth(1), _LOW, with_text=False)
            code = Image.open(BytesIO(key.render().png)).convert("L").crop((0, 0, side, _LOW))
            paper.paste(code, (x, y))
            x += code.width + gap
    return paper


def _pictures() -> Iterator[tuple[str, Image.Image]]:
    yield "finder patterns", _finder_patterns(SMALL, SMALL).convert("L")
    yield "low codes", _low_codes(SMALL)
    for name, side in (("", SMALL), ("large ", LARGE)):
        chance = random.Random(side)  # noqa: S311 - the same picture on every run
        yield f"{name}noise", Image.frombytes("L", (side, side), chance.randbytes(side * side))
        yield f"{name}moire", _moire(side)
        yield f"{name}chessboard", _chessboard(side)
        yield f"{name}gradient", Image.radial_gradient("L").resize((side, side))


def _moire(side: int) -> Image.Image:
    """Return vertical lines over lines of nearly the same pitch, a little turned."""
    across, slanted = (bytes(_PAPER * (x % pitch >= pitch / 2) for x in range(side)) * side for pitch in _PITCHES)
    turned = Image.frombytes("L", (side, side), slanted).rotate(3, Image.Resampling.BILINEAR, fillcolor=_PAPER)
    return Image.composite(turned, Image.new("L", turned.size), Image.frombytes("L", (side, side), across))


def _chessboard(side: int) -> Image.Image:
    row = bytes(_PAPER * (x // 5 % 2) for x in range(side))
    inverted = bytes(_PAPER - value for value in row)
    return Image.frombytes("L", (side, side), b"".join(inverted if y // 5 % 2 else row for y in range(side)))


def _seconds(picture: Image.Image) -> dict[EffortName, float]:
    """Return the processor time of each effort."""
    pixels = Pixels(*picture.size, picture.tobytes())
    efforts: tuple[EffortName, ...] = ("quick", *BOUNDS)
    return {effort: timed(codes_with_effort, pixels, effort)[1].cpu_seconds for effort in efforts}
