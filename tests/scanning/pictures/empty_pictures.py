"""Pictures without codes, drawn with seeds: noise, text, stripes, gradients, grids, rings and halftones."""

import math
import random
from collections.abc import Callable

from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIDE = 240
_LETTERS = "etaoinshrdlucmfwypvbgkjqxz ETAOIN 0123456789 .,-|/#"
_PAPER = 255


def empty_picture(seed: int) -> Image.Image:
    """Return a grey square, a little turned, blurred or pale; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the same picture on every run
    picture = _KINDS[seed % len(_KINDS)](chance)
    turned = picture.rotate(
        chance.choice((0, 0, 3, 17, 45)), Image.Resampling.BICUBIC, fillcolor=chance.choice((0, 255))
    )
    blurred = turned.filter(ImageFilter.GaussianBlur(chance.choice((0, 0, 0.6, 1.2))))
    least, span = chance.choice(((0, 255), (0, 255), (80, 90), (10, 40)))
    return blurred.point([least + value * span // 255 for value in range(256)])


def _noise(chance: random.Random) -> Image.Image:
    across, down = chance.choice((1, 2, 3, 5)), chance.choice((1, 2, 5, 40))
    width, height = SIDE // across, SIDE // down
    grey = chance.randbytes(width * height)
    pixels = grey if chance.random() < 1 / 2 else bytes(_PAPER * (value > _PAPER / 2) for value in grey)
    sampling = chance.choice((Image.Resampling.NEAREST, Image.Resampling.BICUBIC))
    return Image.frombytes("L", (width, height), pixels).resize((SIDE, SIDE), sampling)


def _text(chance: random.Random) -> Image.Image:
    paper, size = Image.new("L", (SIDE, SIDE), _PAPER), chance.randrange(8, 40)
    draw, font = ImageDraw.Draw(paper), ImageFont.load_default(size)
    for line in range(0, SIDE, size + 2):
        draw.text(
            (chance.randrange(12), line), "".join(chance.choices(_LETTERS, k=60)), fill=chance.randrange(90), font=font
        )
    return paper


def _stripes(chance: random.Random) -> Image.Image:
    """Return bars of random widths, with a margin, as wide as those of linear codes or any width."""
    paper, module, x = Image.new("L", (SIDE, SIDE), _PAPER), chance.choice((1, 2, 3)), chance.randrange(40)
    draw, widths = ImageDraw.Draw(paper), chance.choice(((1, 2), (1, 2, 3), (1, 2, 3, 4), tuple(range(1, 20))))
    end = SIDE - chance.randrange(40)
    top, bottom = sorted(chance.sample(range(SIDE), 2))
    while x < end:
        bar = module * chance.choice(widths)
        draw.rectangle((x, top, x + bar - 1, bottom), fill=0)
        x += bar + module * chance.choice(widths)
    return paper


def _gradient(chance: random.Random) -> Image.Image:
    slopes = (Image.linear_gradient("L"), Image.radial_gradient("L"))
    steps = chance.choice((4, 9, 30, 256))
    levels = [value * steps // 256 * 255 // max(1, steps - 1) for value in range(256)]
    return chance.choice(slopes).resize((SIDE, SIDE)).point(levels).rotate(chance.randrange(360))


def _grid(chance: random.Random) -> Image.Image:
    """Return a table, a chessboard or a window."""
    paper, width, height = Image.new("L", (SIDE, SIDE), _PAPER), chance.randrange(3, 40), chance.randrange(3, 40)
    draw, is_filled = ImageDraw.Draw(paper), chance.random() < 1 / 2
    for row, y in enumerate(range(0, SIDE, height)):
        for column, x in enumerate(range(0, SIDE, width)):
            fill = 0 if is_filled and (row + column) % 2 else _PAPER
            draw.rectangle((x, y, x + width, y + height), fill=fill, outline=0)
    return paper


def _rings(chance: random.Random) -> Image.Image:
    """Return squares in squares and circles in circles, as finder patterns have them."""
    paper = Image.new("L", (SIDE, SIDE), _PAPER)
    draw = ImageDraw.Draw(paper)
    for _ in range(chance.randrange(1, 30)):
        x, y, size = chance.randrange(SIDE), chance.randrange(SIDE), chance.randrange(7, 70)
        shape = chance.choice((draw.rectangle, draw.ellipse))
        for ring, inner in enumerate(range(0, size // 2, max(1, size // 7))):
            shape((x + inner, y + inner, x + size - inner, y + size - inner), fill=0 if ring % 2 == 0 else _PAPER)
    return paper


def _halftone(chance: random.Random) -> Image.Image:
    """Return dots of a grid at an angle, or two sets of lines that make a moire."""
    paper, pitch, angle = Image.new("L", (SIDE, SIDE), _PAPER), chance.uniform(3, 12), chance.uniform(0, math.pi)
    draw, has_dots = ImageDraw.Draw(paper), chance.random() < 1 / 2
    cosine, sine, reach = math.cos(angle), math.sin(angle), int(2 * SIDE / pitch)
    for row in range(-reach, reach):
        if not has_dots:
            start, end = (
                (pitch * row * cosine - way * sine, pitch * row * sine + way * cosine) for way in (-SIDE, 2 * SIDE)
            )
            draw.line((*start, *end), fill=0)
            draw.line((pitch * row * 1.1, 0, pitch * row * 1.1, SIDE), fill=0)
            continue
        for column in range(-reach, reach):
            x, y = pitch * (row * cosine - column * sine), pitch * (row * sine + column * cosine)
            radius = pitch * (0.15 + 0.35 * abs(math.sin(x / SIDE * 3)))
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=0)
    return paper


_KINDS: tuple[Callable[[random.Random], Image.Image], ...] = (
    _noise,
    _text,
    _stripes,
    _gradient,
    _grid,
    _rings,
    _halftone,
)
