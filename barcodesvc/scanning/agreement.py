"""Which of the readings of several looks at a picture are codes.

At a slant, lines cross a linear code without its ends, and some give another text: `1234` of an ITF `12345678`, or a
UPC-E of the middle of an EAN-13. Such lines are few, so a linear code that was read along few lines for their width is
in doubt. A short PDF417 at a slant may be corrected to another text, so one that only a further look shows is in doubt.
So is a stacked DataBar that is as narrow as those that noise shows.

Rule: a reading without doubt is a code. One in doubt is a code if a second look gives the same text, and no reading
without doubt is at its place; of several such texts at a place, the longest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from barcodesvc.scanning.codes_on_images import CodeOnImage

_FEW_LINES = {
    "CODE128": 0.07,
    "GS1-128": 0.07,
    "CODE93": 0.07,
    "EAN13": 0.07,
    "UPCA": 0.07,
    "PZN": 0.07,
    "CODABAR": 0.09,
    "CODE39": 0.09,
    "EAN8": 0.09,
    "ITF": 0.09,
    "ITF14": 0.09,
    "UPCE": 0.09,
}
"""The height of the lines that read a code, by their width, below which it is in doubt. Of 2,000 drawn codes at all
angles, no wrong text came from more than 0.06. Symbologies with weak checks need more; others correct errors, or have
check values of their own, and are never in doubt."""
_NARROW_STACK = 75
"""The width in pixels below which a stacked DataBar is in doubt: 1.5 for each module. Noise gives narrower ones."""
_NEAR = 0.5
"""The distance of the middles of two readings, by the longer width, up to which they may be of one code."""
_AGREEING_LOOKS = 2

_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """A code as one look shows it; looks are numbered."""

    code: CodeOnImage
    look: int

    @property
    def is_doubtful(self) -> bool:
        """Whether another look has to agree."""
        if self.code.symbology == "PDF417":
            return self.look > 1
        if self.code.symbology == "DATABARSTACKED" and _width(self.code) < _NARROW_STACK:
            return True
        return _height_by_width(self.code) < _FEW_LINES.get(self.code.symbology, 0.0)


def is_settled(readings: Sequence[Reading]) -> bool:
    """Return whether there are codes, and nothing is in doubt but PDF417 that two looks agree on."""
    doubts = _doubts(readings)
    return bool(readings) and all(
        each.code.symbology == "PDF417" and len(_looks_with(each.code.text, doubts)) >= _AGREEING_LOOKS
        for each in doubts
    )


def agreed(readings: Sequence[Reading]) -> list[CodeOnImage]:
    """Return the codes, each once."""
    codes = _certain(readings)
    for place in _places(_doubts(readings)):
        texts = {each.code.text for each in place}
        repeated = [text for text in texts if len(_looks_with(text, place)) >= _AGREEING_LOOKS]
        if repeated:
            longest = max(repeated, key=lambda text: (len(text), text))
            codes.append(next(each for each in place if each.code.text == longest))
    return [each.code for each in codes]


def _certain(readings: Iterable[Reading]) -> list[Reading]:
    """Return the readings without doubt; of those of one code in several looks, the first."""
    found: list[Reading] = []
    for reading in readings:
        if not reading.is_doubtful and not any(_is_again(reading, each) for each in found):
            found.append(reading)
    return found


def _is_again(reading: Reading, earlier: Reading) -> bool:
    return (
        reading.look != earlier.look
        and reading.code.text == earlier.code.text
        and _are_near(reading.code, earlier.code)
    )


def _doubts(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings in doubt that are not at the place of one without doubt."""
    certain = [each.code for each in readings if not each.is_doubtful]
    return [each for each in readings if each.is_doubtful and not any(_are_near(each.code, code) for code in certain)]


def _looks_with(text: str, place: Iterable[Reading]) -> set[int]:
    return {each.look for each in place if each.code.text == text}


def _places(readings: Iterable[Reading]) -> list[list[Reading]]:
    places: list[list[Reading]] = []
    for reading in readings:
        found = next((place for place in places if any(_are_near(reading.code, each.code) for each in place)), None)
        if found is None:
            places.append([reading])
        else:
            found.append(reading)
    return places


def _are_near(one: CodeOnImage, other: CodeOnImage) -> bool:
    return math.dist(_middle(one), _middle(other)) <= _NEAR * max(_width(one), _width(other))


def _middle(code: CodeOnImage) -> _Point:
    return sum(corner.x for corner in code.corners) / 4, sum(corner.y for corner in code.corners) / 4


def _width(code: CodeOnImage) -> float:
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in code.corners)
    return max(math.dist(top_left, top_right), math.dist(bottom_left, bottom_right))


def _height_by_width(code: CodeOnImage) -> float:
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in code.corners)
    return max(math.dist(top_left, bottom_left), math.dist(top_right, bottom_right)) / max(_width(code), 1)
