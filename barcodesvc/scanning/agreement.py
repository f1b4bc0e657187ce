"""Which of the readings of several looks at a picture are codes.

At a slant, lines cross a linear code without its ends, and some give another text: `1234` of an ITF `12345678`, or a
UPC-E of the middle of an EAN-13. Such lines are few, so a linear code that was read along few lines for their width is
in doubt. A blurred code with a weak check may be read as another text along many lines, so one that only a further look
shows is in doubt. So are an ITF of under 6 digits, an Aztec code of under 4 characters, as rings in rings may be read,
and a stacked DataBar that is as narrow as those that noise shows, or whose rows are not one below the other: it is
another DataBar at a slant.

Rule: a reading without doubt is a code. One in doubt is a code if a second look gives the same text, and no reading
without doubt is at its place. If the check is weak, that look must be of another kind. Of several such texts at a
place, the longest counts, and of those of one length the one that most lines show, if it is clearly ahead. A UPC-E on
the bars of an EAN-13 or UPC-A is a part of it, however many lines show it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

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
_VARIABLE = frozenset({"CODABAR", "ITF"})
_USUAL_LENGTH = 14
"""Characters of a `_VARIABLE` symbol above which the lines count by its modules, not by its width: a slanted line
leaves a part after a few modules, however long the symbol is, and a long one that is upright is low for its width."""
_WITHIN_OTHERS = frozenset({"CODABAR", "DATABARSTACKED", "ITF", "UPCE"})
"""Symbologies that lines at a slant show within other codes, or noise in several looks: a part never counts."""
_NARROW_STACK = 75
"""The width in pixels below which a stacked DataBar is in doubt: 1.5 for each module. Noise gives narrower ones."""
_SLANTED_STACK = 1 / 8
"""The most by which the rows of a stacked DataBar may be apart in their own direction, by the width."""
_WEAK_CHECKS = frozenset(
    {
        *("CODABAR", "CODE39", "EAN13", "EAN8", "ITF", "ITF14", "PDF417", "PZN", "UPCA", "UPCE"),
        *("DATABARLIMITED", "DATABAROMNI", "DATABARSTACKED"),
    }
)
"""Symbologies of which a blurred or noisy copy may give another text that closes its check."""
_SHORT = {"ITF": 6, "AZTEC": 4}
"""Characters below which a code is always in doubt."""
_READ_TWICE = "DATABAR"
"""The symbologies of which one look may show a symbol twice, along different lines."""
_NEAR = 0.5
"""The distance of the middles of two readings, by the longer width, up to which they may be of one code."""
_RETAIL = frozenset({"EAN13", "UPCA"})
_BARS = 0.73
"""The height of the bars of an EAN-13 by their width, as GS1 prescribes it."""
_SHIFT = 0.05
"""By how much of the width an end of a part may be outside: corners are approximate."""
_AGREEING_LOOKS = 2
_CLEARLY = 2
"""How many times as many lines must show a text as show another one of its length at its place."""

_Point = tuple[float, float]


@dataclass(frozen=True)
class Reading:
    """A code as one look shows it; looks are numbered, and of kinds that show the same mistakes."""

    code: CodeOnImage
    look: int
    kind: str = "plain"

    @cached_property
    def is_doubtful(self) -> bool:
        """Whether another look has to agree."""
        if self.may_be_part or len(self.code.text) < _SHORT.get(self.code.symbology, 0):
            return True
        return self.look > 1 and self.code.symbology in _WEAK_CHECKS

    @property
    def may_be_part(self) -> bool:
        """Whether the code may be a part of another one."""
        if self.code.symbology == "DATABARSTACKED":
            return _width(self.code) < _NARROW_STACK or _is_slanted(self.code)
        return _height_by_width(self.code) < _few_lines(self.code)

    @cached_property
    def middle(self) -> _Point:
        """The middle of the corners."""
        return sum(corner.x for corner in self.code.corners) / 4, sum(corner.y for corner in self.code.corners) / 4

    @cached_property
    def width(self) -> float:
        """The width in pixels of the original."""
        return _width(self.code)


def is_settled(readings: Sequence[Reading]) -> bool:
    """Return whether there are codes, and looks agree on a whole one wherever one is in doubt."""
    agreed_on = (_agreed_on(place) for place in _places(_doubts(readings)))
    return bool(readings) and all(each is not None and not each.may_be_part for each in agreed_on)


def agreed(readings: Sequence[Reading]) -> list[CodeOnImage]:
    """Return the codes, each once."""
    readings = _without_parts(readings)
    agreed_on = (_agreed_on(place) for place in _places(_doubts(readings)))
    return [each.code for each in (*_certain(readings), *agreed_on) if each]


def _without_parts(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings without those of a UPC-E on the bars of a longer number."""
    retail = [each.code for each in readings if each.code.symbology in _RETAIL and not each.is_doubtful]
    return [
        each
        for each in readings
        if each.code.symbology != "UPCE" or not any(_is_on_bars(each.code, code) for code in retail)
    ]


def _is_on_bars(part: CodeOnImage, whole: CodeOnImage) -> bool:
    """Return whether the ends of a code are on the bars of another, which may go on beyond the lines that read it."""
    (left, top), (right, bottom) = _ends(whole)
    across, down = right - left, bottom - top
    for x, y in _ends(part):
        along = (x - left) * across + (y - top) * down
        apart = (y - top) * across - (x - left) * down
        square = across**2 + down**2
        if not (-_SHIFT * square <= along <= (1 + _SHIFT) * square and abs(apart) <= _BARS * square):
            return False
    return True


def _ends(code: CodeOnImage) -> tuple[_Point, _Point]:
    """Return the middles of the left and the right side."""
    top_left, top_right, bottom_right, bottom_left = code.corners
    left = (top_left.x + bottom_left.x) / 2, (top_left.y + bottom_left.y) / 2
    right = (top_right.x + bottom_right.x) / 2, (top_right.y + bottom_right.y) / 2
    return left, right


def _agreed_on(place: Sequence[Reading]) -> Reading | None:
    """Return the first reading of the text that counts at a place: of a whole code if any was read, the longest."""
    wholes = [each for each in place if not each.may_be_part] or [
        each for each in place if each.code.symbology not in _WITHIN_OTHERS
    ]
    lines: dict[str, float] = defaultdict(float)
    for each in wholes:
        lines[each.code.text] += _height_by_width(each.code)
    repeated = [each for each in wholes if _is_repeated(each, wholes)]
    if not repeated:
        return None
    best = max(repeated, key=lambda each: (_length(each.code), lines[each.code.text], each.code.text))
    rivals = (each for each in wholes if each.code.text != best.code.text and _length(each.code) >= _length(best.code))
    is_clear = all(lines[best.code.text] > _CLEARLY * lines[rival.code.text] for rival in rivals)
    return next(each for each in wholes if each.code.text == best.code.text) if is_clear else None


def _few_lines(code: CodeOnImage) -> float:
    few = _FEW_LINES.get(code.symbology, 0.0)
    return few * min(1.0, _USUAL_LENGTH / len(code.text)) if code.symbology in _VARIABLE else few


def _length(code: CodeOnImage) -> int:
    """Return how many characters the symbol has; a UPC-A is an EAN-13 that begins with a zero."""
    return len(code.text) + (code.symbology == "UPCA")


def _certain(readings: Iterable[Reading]) -> list[Reading]:
    """Return the readings without doubt; of those of one code in several looks, the first."""
    found: list[Reading] = []
    for reading in readings:
        if not reading.is_doubtful and not any(_is_again(reading, each) for each in found):
            found.append(reading)
    return found


def _is_again(reading: Reading, earlier: Reading) -> bool:
    is_new_look = reading.look != earlier.look or reading.code.symbology.startswith(_READ_TWICE)
    return is_new_look and reading.code.text == earlier.code.text and _are_near(reading, earlier)


def _doubts(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings in doubt that are not at the place of one without doubt."""
    certain = [each for each in readings if not each.is_doubtful]
    return [each for each in readings if each.is_doubtful and not any(_are_near(each, code) for code in certain)]


def _is_repeated(reading: Reading, place: Iterable[Reading]) -> bool:
    """Return whether enough looks show the text of a reading, and enough kinds if its check is weak."""
    same = [each for each in place if each.code.text == reading.code.text]
    seen = {each.kind for each in same} if reading.code.symbology in _WEAK_CHECKS else {each.look for each in same}
    return len(seen) >= _AGREEING_LOOKS


def _places(readings: Iterable[Reading]) -> list[list[Reading]]:
    places: list[list[Reading]] = []
    for reading in readings:
        found = next((place for place in places if any(_are_near(reading, each) for each in place)), None)
        if found is None:
            places.append([reading])
        else:
            found.append(reading)
    return places


def _are_near(one: Reading, other: Reading) -> bool:
    return math.dist(one.middle, other.middle) <= _NEAR * max(one.width, other.width)


def _width(code: CodeOnImage) -> float:
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in code.corners)
    return max(math.dist(top_left, top_right), math.dist(bottom_left, bottom_right))


def _is_slanted(code: CodeOnImage) -> bool:
    """Return whether the last row is apart the first one, rather than below it."""
    top_left, top_right, _, bottom_left = code.corners
    across, down = top_right.x - top_left.x, top_right.y - top_left.y
    apart = (bottom_left.x - top_left.x) * across + (bottom_left.y - top_left.y) * down
    return abs(apart) > _SLANTED_STACK * (across**2 + down**2)


def _height_by_width(code: CodeOnImage) -> float:
    top_left, top_right, bottom_right, bottom_left = ((corner.x, corner.y) for corner in code.corners)
    return max(math.dist(top_left, bottom_left), math.dist(top_right, bottom_right)) / max(_width(code), 1)
