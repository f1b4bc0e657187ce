"""Pictures of codes as the service draws them, as a camera may see them: turned, and damaged in one way.

Every symbology has its example, as drawn; a linear code also as low as a shelf label, a fifth as high as it is wide.
The same case always gives the same picture.
"""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.scanning.images.codes import CodeOnImage
from barcodesvc.scanning.images.pixels import Pixels
from barcodesvc.scanning.images.reading import codes_with_effort
from barcodesvc.symbols.registry import SYMBOLOGIES, find_symbology

MODULE = 2
"""Pixels of a module, the width that the service draws by default."""
NAMES = tuple(each.name for each in SYMBOLOGIES if each.name not in {"EAN2", "EAN5", "MSI", "PHARMACODE"})
"""All symbologies but those that docs/scans.md names as unreadable."""
ALIKE = ("CODE128A", "CODE128B", "CODE128C", "JAN", "ISBN13", "ISBN10", "ISSN")
"""Those whose symbols are of another symbology."""
QR_CODES = ("QR", "GS1QR")
GLARE = "glare"
_MARGIN = 20
_PAPER = 255
_HEIGHT = 80
_TILT = math.radians(20)
_DARKEST = 0.3
"""The light at the dark edge of an unevenly lit picture, as a share of that at the other."""
_NOISE = 50
"""The most that noise adds to a pixel, or takes from it."""
_CONTRAST = 0.3
_BLUR = 0.4
"""The radius in modules."""
_GLARE = 1 / 5
"""The share of the symbol's area that has a white spot, which leaves a fifth of the contrast."""
_STRENGTH = 0.8


@dataclass(frozen=True, slots=True)
class Case:
    """A symbol as drawn, or low; the name of its damage, or no name; and by how much it is turned."""

    name: str
    is_low: bool
    damage: str
    degrees: int

    def picture(self) -> Image.Image:
        """Return the grey picture."""
        chance = random.Random(repr(self))  # noqa: S311 - the same picture on every run
        symbol = drawn(self.name, is_low=self.is_low)
        if self.damage == GLARE:
            symbol = _with_glare(symbol, chance)
        turned = symbol.rotate(self.degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=_PAPER)
        paper = Image.new("L", (turned.width + 2 * _MARGIN, turned.height + 2 * _MARGIN), _PAPER)
        paper.paste(turned, (_MARGIN, _MARGIN))
        change = _CHANGES.get(self.damage)
        return change(paper, chance) if change else paper


def cases(damage: str, step: int) -> list[Case]:
    """Return the symbols with this damage, turned by these steps of degrees; only QR codes have a spot of glare."""
    return [
        Case(name, is_low, damage, degrees)
        for name in (QR_CODES if damage == GLARE else NAMES)
        for is_low in ((False, True) if is_linear(name) else (False,))
        for degrees in range(0, 360, step)
    ]


@cache
def drawn(name: str, *, is_low: bool) -> Image.Image:
    """Return the symbology's example, grey, in black on white."""
    return _drawn(name, drawn(name, is_low=False).width // 5 if is_low else _HEIGHT)


@cache
def text_of(name: str) -> str:
    """Return the text of the symbology's example, which the upright picture shows."""
    [code] = codes_on(pixels_of(Case(name, is_low=False, damage="", degrees=0).picture()))
    return code.text


def codes_on(pixels: Pixels) -> tuple[CodeOnImage, ...]:
    """Return the codes that the service reads without further options, in reading order."""
    return codes_with_effort(pixels, "normal").codes


def pixels_of(image: Image.Image) -> Pixels:
    """Return the pixels of a grey picture."""
    return Pixels(*image.size, image.tobytes())


@cache
def is_linear(name: str) -> bool:
    """Return whether the height of the symbol can be chosen."""
    return drawn(name, is_low=False).height != _drawn(name, 2 * _HEIGHT).height


def _drawn(name: str, height: int) -> Image.Image:
    symbology = find_symbology(name)
    key = BarcodeKey(symbology, symbology.example, ModuleWidth(MODULE), height, with_text=False)
    return Image.open(BytesIO(key.render().png)).convert("L")


def _blurred(image: Image.Image, _: random.Random) -> Image.Image:
    return image.filter(ImageFilter.GaussianBlur(_BLUR * MODULE))


def _pale(image: Image.Image, _: random.Random) -> Image.Image:
    return image.point([round(_PAPER * (1 - _CONTRAST) / 2 + _CONTRAST * value) for value in range(256)])


def _noisy(image: Image.Image, chance: random.Random) -> Image.Image:
    noise = Image.frombytes("L", image.size, chance.randbytes(image.width * image.height))
    scaled = noise.point([2 * _NOISE * value // 255 for value in range(256)])
    return ImageChops.add(image, scaled, 1, -_NOISE)


def _as_jpeg(image: Image.Image, _: random.Random) -> Image.Image:
    file = BytesIO()
    image.save(file, "JPEG", quality=30)
    return Image.open(file).convert("L")


def _tilted(image: Image.Image, _: random.Random) -> Image.Image:
    """Return the picture turned away to the right, seen from twice its width."""
    x, y, away = image.width / 2, image.height / 2, 2 * image.width
    cosine, sine = math.cos(_TILT), math.sin(_TILT)
    scale = away * cosine + x * sine
    plane = (
        *((away - x * sine) / scale, 0, x * (scale - away) / scale),
        *(-y * sine / scale, away * cosine / scale, y * (scale - away * cosine) / scale),
        *(-sine / scale, 0),
    )
    return image.transform(image.size, Image.Transform.PERSPECTIVE, plane, Image.Resampling.BICUBIC, fillcolor=_PAPER)


def _unevenly_lit(image: Image.Image, _: random.Random) -> Image.Image:
    slope = Image.linear_gradient("L").transpose(Image.Transpose.ROTATE_90).resize(image.size)
    light = slope.point([round(_PAPER * _DARKEST + (1 - _DARKEST) * value) for value in range(256)])
    return ImageChops.multiply(image, light)


def _with_glare(symbol: Image.Image, chance: random.Random) -> Image.Image:
    """Return a symbol with a white spot somewhere on it."""
    left, top, right, bottom = ImageChops.invert(symbol).getbbox() or (0, 0, *symbol.size)
    radius = math.sqrt(_GLARE * (right - left) * (bottom - top) / math.pi)
    x, y = chance.uniform(left + radius, right - radius), chance.uniform(top + radius, bottom - radius)
    spot = Image.new("L", symbol.size)
    ImageDraw.Draw(spot).ellipse((x - radius, y - radius, x + radius, y + radius), fill=round(_STRENGTH * _PAPER))
    return ImageChops.screen(symbol, spot.filter(ImageFilter.GaussianBlur(radius / 8)))


_CHANGES: Mapping[str, Callable[[Image.Image, random.Random], Image.Image]] = {
    "blur": _blurred,
    "30 % contrast": _pale,
    "noise": _noisy,
    "JPEG 30": _as_jpeg,
    "perspective": _tilted,
    "uneven light": _unevenly_lit,
}
"""What happens to the picture of a turned symbol."""
DAMAGES = (*_CHANGES, GLARE)
