"""Drawn scenes with two to eight codes.

The codes are turned, low, or cut off by the edge; behind them are paper, stripes, boxes or text. The whole scene may be
blurred, noisy or compressed. The same seed always gives the same scene.
"""

import random
import string
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from barcodesvc.codes.layout import ModuleWidth
from barcodesvc.codes.rendering import BarcodeKey
from barcodesvc.scanning.images.codes import EffortName
from barcodesvc.scanning.images.one_look import codes_in
from barcodesvc.scanning.images.reading import codes_with_effort
from barcodesvc.symbols.registry import find_symbology
from tests.scanning.pictures.drawn_codes import is_linear, pixels_of

SCENES = 400
_SIZES = ((640, 480), (900, 700), (1000, 1000), (1600, 1200))
_PAPERS = (255, 235, 180)
_WHITE = 255
_LETTERS = string.ascii_uppercase + string.digits
_DIGITS = {"EAN13": 12, "EAN8": 7, "UPCA": 11, "ITF": 10, "ITF14": 13, "CODABAR": 8, "DATABAROMNI": 12}
"""Random digits in the content of a symbology; other content has eight letters and digits."""
_BEFORE = {"CODABAR": "A", "DATABAROMNI": "0", "GS1-128": "(10)", "DATABAREXPANDED": "(10)"}
_AFTER = {"CODABAR": "B"}
_UPCE = "56789"
"""Digits of which any six are a UPC-E."""
_NAMES = (
    *("EAN13", "EAN13", *_DIGITS, "UPCE", "CODE128", "CODE39", "CODE93", "GS1-128", "DATABAREXPANDED"),
    *("QR", "DATAMATRIX", "AZTEC", "PDF417"),
)
_TRIES = 40


@dataclass(slots=True)
class Scene:
    """A grey picture, and the texts of the codes on it."""

    picture: Image.Image
    texts: list[str] = field(default_factory=list)


def false_texts(drawn: Scene, effort: EffortName) -> list[str]:
    """Return the texts that are read but not shown, and those that are read more often than they are shown."""
    return list((_read(drawn, effort) - Counter(drawn.texts)).elements())


def scene(seed: int) -> Scene:
    """Return the scene of a seed."""
    chance = random.Random(f"scene {seed}")  # noqa: S311 - the same scene on every run
    size = chance.choice(_SIZES)
    drawn = Scene(chance.choice(_BACKGROUNDS)(size, chance))
    boxes: list[tuple[int, int, int, int]] = []
    for _ in range(chance.randrange(2, 9)):
        _add_code(drawn, boxes, chance)
    drawn.picture = _taken(drawn.picture, chance)
    return drawn


def _read(drawn: Scene, effort: EffortName) -> Counter[str]:
    return Counter(code.text for code in codes_with_effort(pixels_of(drawn.picture), effort).codes)


def _add_code(drawn: Scene, boxes: list[tuple[int, int, int, int]], chance: random.Random) -> None:
    """Paste a label with a code at a place that is still free, if there is one."""
    label, text = _label(chance)
    degrees = chance.choice((0, 0, 0, 90, 180, chance.uniform(-8, 8), chance.uniform(0, 360), chance.uniform(0, 360)))
    turned = label.rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    mask = Image.new("L", label.size, _WHITE).rotate(degrees, Image.Resampling.BICUBIC, expand=True)
    outside = chance.random() < 1 / 8
    for _ in range(_TRIES):
        x, y = (
            chance.randrange(-part // 2, whole - part // 2) if outside else chance.randrange(max(1, whole - part))
            for whole, part in zip(drawn.picture.size, turned.size, strict=True)
        )
        box = (x, y, x + turned.width, y + turned.height)
        if all(box[2] <= left or right <= x or box[3] <= top or bottom <= y for left, top, right, bottom in boxes):
            boxes.append(box)
            drawn.picture.paste(turned, (x, y), mask)
            drawn.texts.append(text)
            return


def _label(chance: random.Random) -> tuple[Image.Image, str]:
    """Return a code with more or less paper around it, and its text."""
    name = chance.choice(_NAMES)
    content = _content(name, chance)
    module = chance.choice((1, 2, 2, 2, 3, 3, 4)) if is_linear(name) else chance.choice((2, 3, 4))
    [code] = codes_in(pixels_of(_drawn(name, content, 2, 80, with_text=False)))
    height = round(_drawn(name, content, module, 20, with_text=False).width * chance.choice((0.2, 0.3, 0.5, 0.7)))
    symbol = _drawn(name, content, module, max(8, height), with_text=chance.random() < 1 / 2)
    margin = chance.choice((0, 2, 8, 16))
    label = Image.new("L", (symbol.width + 2 * margin, symbol.height + 2 * margin), _WHITE)
    label.paste(symbol, (margin, margin))
    return label, code.text


def _content(name: str, chance: random.Random) -> str:
    if name == "UPCE":
        return "".join(chance.choices(_UPCE, k=6))
    body = chance.choices(string.digits, k=_DIGITS[name]) if name in _DIGITS else chance.choices(_LETTERS, k=8)
    return _BEFORE.get(name, "") + "".join(body) + _AFTER.get(name, "")


def _drawn(name: str, content: str, module: int, height: int, *, with_text: bool) -> Image.Image:
    key = BarcodeKey(find_symbology(name), content, ModuleWidth(module), height, with_text=with_text)
    return Image.open(BytesIO(key.render().png)).convert("L")


def _paper(size: tuple[int, int], chance: random.Random) -> Image.Image:
    return Image.new("L", size, chance.choice(_PAPERS))


def _light(size: tuple[int, int], _: random.Random) -> Image.Image:
    return Image.linear_gradient("L").resize(size).point([90 + value * 160 // 255 for value in range(256)])


def _boxes(size: tuple[int, int], chance: random.Random) -> Image.Image:
    picture = _paper(size, chance)
    draw = ImageDraw.Draw(picture)
    for _ in range(60):
        x, y = chance.randrange(size[0]), chance.randrange(size[1])
        draw.rectangle((x, y, x + chance.randrange(5, 80), y + chance.randrange(5, 80)), fill=chance.randrange(60, 255))
    return picture


def _text(size: tuple[int, int], chance: random.Random) -> Image.Image:
    picture = _paper(size, chance)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(chance.randrange(10, 30))
    for y in range(0, size[1], chance.randrange(14, 34)):
        draw.text((chance.randrange(30), y), "".join(chance.choices("etaoin 0123456789|IlH#", k=140)), 30, font)
    return picture


def _stripes(size: tuple[int, int], chance: random.Random) -> Image.Image:
    """Return stripes as wide as the bars of linear codes, at any angle."""
    side, module, x = 3 * max(size), chance.choice((1, 2, 3)), 0
    picture, ink = Image.new("L", (side, side), chance.choice((200, 255))), chance.choice((0, 60))
    draw = ImageDraw.Draw(picture)
    while x < side:
        bar, gap = (module * chance.randrange(1, 5) for _ in range(2))
        draw.rectangle((x, 0, x + bar - 1, side), fill=ink)
        x += bar + gap
    turned = picture.rotate(chance.uniform(0, 180), Image.Resampling.BICUBIC)
    return turned.crop((side // 3, side // 3, side // 3 + size[0], side // 3 + size[1]))


_BACKGROUNDS = (_paper, _light, _boxes, _text, _stripes)


def _taken(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Return the picture as a camera may take it: blurred, noisy, compressed."""
    picture = picture.filter(ImageFilter.GaussianBlur(chance.choice((0, 0, 0, 0.6, 1.0, 1.5))))
    most = chance.choice((0, 0, 0, 20, 40, 60))
    noise = Image.frombytes("L", picture.size, chance.randbytes(picture.width * picture.height))
    picture = ImageChops.add(picture, noise.point([2 * most * value // 255 for value in range(256)]), 1, -most)
    if chance.random() < 1 / 3:
        file = BytesIO()
        picture.save(file, "JPEG", quality=chance.choice((30, 60)))
        picture = Image.open(file).convert("L")
    return picture
