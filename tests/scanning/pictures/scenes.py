"""Drawn scenes: codes that are turned, damaged, low or cut off by the edge, on a wall of pictures without codes."""

import random
from collections import Counter
from dataclasses import dataclass, field

from PIL import Image

from barcodesvc.scanning.images.codes import EffortName
from barcodesvc.scanning.images.reading import codes_with_effort
from tests.scanning.pictures.drawn_codes import DAMAGES, GLARE, NAMES, Case, is_linear, pixels_of, text_of
from tests.scanning.pictures.empty_pictures import SIDE, empty_picture

SCENES = 400
_TILES = 4
_TRIES = 40
_CUT_OFF = 1 / 8


@dataclass(slots=True)
class Scene:
    """A grey picture, and the texts of the codes on it; the same seed always gives the same."""

    picture: Image.Image
    texts: list[str] = field(default_factory=list)

    def false_texts(self, effort: EffortName) -> list[str]:
        """Return the texts that are read but not shown, and those that are read more often than they are shown."""
        read = Counter(code.text for code in codes_with_effort(pixels_of(self.picture), effort).codes)
        return list((read - Counter(self.texts)).elements())


def scene(seed: int) -> Scene:
    """Return the scene of a seed, with two to eight codes."""
    chance = random.Random(f"scene {seed}")  # noqa: S311 - the same scene on every run
    side = SIDE * _TILES
    drawn = Scene(Image.new("L", (side, side)))
    for number in range(_TILES**2):
        place = (number % _TILES * SIDE, number // _TILES * SIDE)
        drawn.picture.paste(empty_picture(_TILES**2 * seed + number), place)
    taken: list[tuple[int, int, int, int]] = []
    for _ in range(chance.randrange(2, 9)):
        name = chance.choice(NAMES)
        damage = chance.choice(("", "", *(each for each in DAMAGES if each != GLARE)))
        case = Case(name, is_linear(name) and chance.random() < 1 / 2, damage, chance.randrange(360))
        label = case.picture()
        reach = label.width // 2 if chance.random() < _CUT_OFF else 0
        for _ in range(_TRIES):
            x, y = (chance.randrange(-reach, max(1, side - part + reach)) for part in label.size)
            box = (x, y, x + label.width, y + label.height)
            if all(box[2] <= left or right <= x or box[3] <= top or bottom <= y for left, top, right, bottom in taken):
                taken.append(box)
                drawn.picture.paste(label, (x, y))
                drawn.texts.append(text_of(name))
                break
    return drawn
