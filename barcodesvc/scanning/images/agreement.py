"""Which of the readings of several looks at a picture are codes.

A slanted line enters and leaves a linear code through its long sides. What it crosses may decode as another text:
`1234` of an ITF `12345678`, or a UPC-E or EAN-8 within an EAN-13, because the paper beyond looks like a quiet zone.
Such lines are few, so a linear code that was read along few lines for their width is in doubt. A blurred or sharpened
code may be read as another text along many lines, so one whose check is a number of a few values, and that only a
further look shows, is in doubt. So are symbologies that the registry does not have, a short ITF or Aztec code, and a
stacked DataBar that is as narrow as those that noise shows, or whose rows are not one below the other. A PDF417 whose
rows are displaced like this was read across them. The limits of each symbology are its `Trust`.

Rule: a reading without doubt is a code. One in doubt is a code if a second look gives the same text, and no reading
without doubt is at its place. If the check is weak, that look must be of another kind. Of several such texts at a
place, the longest counts, and among those of one length the one that most lines show, if it is clearly ahead. Of texts
without doubt on the same bars, the one that more lines show counts. A UPC-E on the bars of an EAN-13 or UPC-A is a part
of it, however many lines show it.

Readings of one text are one code if their areas meet, directly or through another one of that text. If they are only
near, they are one as well, unless one look shows both: then they are two labels. Here the text of a retail symbol is
its number: not every look shows its add-on, which is the one that clearly most lines show.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from barcodesvc.scanning.images.add_ons import RETAIL, add_on_of, clear_add_on, number_of, number_width
from barcodesvc.scanning.images.codes import CodeOnImage, Point, ends, height, meet, shear, slant, width
from barcodesvc.symbols.registry import SYMBOLOGIES
from barcodesvc.symbols.trust import UNKNOWN, Trust

_TRUST = {symbology.name: symbology.trust for symbology in SYMBOLOGIES}
_NEAR = 0.5
"""The distance of the middles of two readings, by the longer width, up to which they may be of one code."""
_BARS = 0.73
"""The height of the bars of an EAN-13 by their width, as GS1 prescribes it."""
_SHIFT = 0.05
"""By how much of the width an end of a part may be outside: corners are approximate."""
_AGREEING_LOOKS = 2
_MOST_JOINED = 256
"""Readings of one text that are compared with each other."""
_CLEARLY = 2
"""How many times as many lines must show a text as show another one of its length at its place."""


@dataclass(frozen=True)
class Reading:
    """A code as one look shows it; looks are numbered, and of kinds that show the same mistakes.

    `ends_at_paper` says that the picture has paper above and below the lines: they are all lines of their code.
    """

    code: CodeOnImage
    look: int
    kind: str = "plain"
    ends_at_paper: bool = False

    @cached_property
    def trust(self) -> Trust:
        """How far a reading of the symbology can be trusted."""
        return _TRUST.get(self.code.symbology, UNKNOWN)

    @cached_property
    def is_doubtful(self) -> bool:
        """Whether another look has to agree."""
        if self.may_be_part or len(self.code.text) < self.trust.least_length:
            return True
        return self.trust.check == "unknown" or (self.look > 1 and self.trust.check != "strong")

    @property
    def has_few_lines(self) -> bool:
        """Whether so few lines have read the code that they may show another text."""
        few, usual, length = self.trust.few_lines, self.trust.usual_length, len(self.code.text)
        return self.lines < (few * (usual / length) if length > usual else few)

    @cached_property
    def may_be_part(self) -> bool:
        """Whether the code may be a part of another one."""
        corners, trust = self.code.corners, self.trust
        is_slanted = slant(corners) > trust.most_slant or shear(corners) > trust.most_shear
        return self.has_few_lines or is_slanted or self.width < trust.least_width

    @property
    def is_whole(self) -> bool:
        """Whether the code is not part of another one: it has many lines, or all that there are."""
        return self.ends_at_paper or not self.may_be_part

    @property
    def is_fragment(self) -> bool:
        """Whether the code is a part of another one, as far as its lines show."""
        return not self.is_whole and self.lines < self.trust.part_lines

    @cached_property
    def number(self) -> str:
        """The text, of a retail number that of its symbol without the add-on."""
        return number_of(self.code)

    @cached_property
    def lines(self) -> float:
        """The height of the lines that read the number, by its width."""
        return height(self.code.corners) / max(number_width(self.code), 1)

    @cached_property
    def middle(self) -> Point:
        """The middle of the corners."""
        return sum(corner.x for corner in self.code.corners) / 4, sum(corner.y for corner in self.code.corners) / 4

    @cached_property
    def width(self) -> float:
        """The width in pixels of the original."""
        return width(self.code.corners)

    def is_near(self, other: Reading) -> bool:
        """Return whether both may be of one code, by the distance of their middles."""
        return math.dist(self.middle, other.middle) <= _NEAR * max(self.width, other.width)


def is_settled(readings: Sequence[Reading]) -> bool:
    """Return whether there are codes, and looks agree on a whole one wherever one is in doubt."""
    agreed_on = (_agreed_on(place) for place in _places(_doubts(readings)))
    return bool(readings) and all(each is not None and each.is_whole for each in agreed_on)


def agreed(readings: Sequence[Reading]) -> list[CodeOnImage]:
    """Return the codes, each once."""
    readings = _without_parts(readings)
    agreed_on = (_agreed_on(place) for place in _places(_doubts(readings)))
    return _once([*_certain(readings), *(each for each in agreed_on if each)], readings)


def _without_parts(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings without those of a part of another code, or of fewer of its lines."""
    certain = [each for each in readings if not each.is_doubtful and each.trust.few_lines]
    return [each for each in readings if not any(_is_part(each, whole) for whole in certain)]


def _is_part(reading: Reading, whole: Reading) -> bool:
    """Return whether a reading is a UPC-E on the bars of a longer number, or another text on fewer of its lines."""
    part, code = reading.code, whole.code
    if part.symbology == "UPCE" and code.symbology in RETAIL:
        return _is_on_bars(part, code)
    if reading.number == whole.number or not reading.trust.few_lines or _length(reading) > _length(whole):
        return False
    lines = height(code.corners)
    is_lower = max(height(part.corners), 1) < lines and math.dist(reading.middle, whole.middle) <= lines / 2
    return is_lower and _is_on_bars(part, code)


def _is_on_bars(part: CodeOnImage, whole: CodeOnImage) -> bool:
    """Return whether the ends of a code are on the bars of another, which may extend beyond the lines that read it."""
    (left, top), (right, bottom) = ends(whole.corners)
    across, down = right - left, bottom - top
    for x, y in ends(part.corners):
        along = (x - left) * across + (y - top) * down
        apart = (y - top) * across - (x - left) * down
        square = across**2 + down**2
        if not (-_SHIFT * square <= along <= (1 + _SHIFT) * square and abs(apart) <= _BARS * square):
            return False
    return True


def _agreed_on(place: Sequence[Reading]) -> Reading | None:
    """Return the largest reading of the text that counts at a place: of a whole code if any was read, the longest."""
    able = [each for each in place if not each.is_fragment]
    wholes = [each for each in able if not each.may_be_part] or able
    lines: dict[str, float] = defaultdict(float)
    for each in wholes:
        lines[each.number] += each.lines
    repeated = [each for each in wholes if _is_repeated(each, _confirming(each, wholes, able))]
    if not repeated:
        return None
    best = max(repeated, key=lambda each: (_length(each), lines[each.number], each.number))
    rivals = (each for each in wholes if each.number != best.number and _length(each) >= _length(best))
    is_clear = all(lines[best.number] > _CLEARLY * lines[rival.number] for rival in rivals)
    same = (each for each in wholes if each.number == best.number)
    return max(same, key=lambda each: height(each.code.corners) * each.width) if is_clear else None


def _confirming(reading: Reading, wholes: Sequence[Reading], able: Sequence[Reading]) -> Sequence[Reading]:
    """Return the readings that may confirm one: few lines too, unless they may close the same weak check."""
    return wholes if reading.trust.check == "weak" else able


def _length(reading: Reading) -> int:
    """Return how many characters the symbol has; a UPC-A is an EAN-13 that begins with a zero."""
    return len(reading.number) + (reading.code.symbology == "UPCA")


def _certain(readings: Iterable[Reading]) -> list[Reading]:
    """Return the readings without doubt; of those of one code in several looks, the first."""
    found: list[Reading] = []
    for reading in readings:
        if not reading.is_doubtful and not any(_is_again(reading, each) for each in found):
            found.append(reading)
    return found


def _is_again(reading: Reading, earlier: Reading) -> bool:
    is_new_look = reading.look != earlier.look or reading.trust.is_read_twice
    return is_new_look and reading.number == earlier.number and reading.is_near(earlier)


def _once(codes: Sequence[Reading], readings: Sequence[Reading]) -> list[CodeOnImage]:
    """Return the codes without repeats of a symbol, which other readings of its text may join, with their add-ons."""
    found: list[Reading] = []
    once: list[CodeOnImage] = []
    symbols: dict[str, list[list[Reading]]] = {}
    times = Counter(each.number for each in codes) + Counter(each.number for each in readings if add_on_of(each.code))
    for code in codes:
        if code.trust.is_misplaced and any(each.number == code.number for each in found):
            continue
        if times[code.number] > 1 and code.number not in symbols:
            same = [each for each in (*codes, *readings) if each.number == code.number][:_MOST_JOINED]
            symbols[code.number] = _symbols(same)
        symbol = next((each for each in symbols.get(code.number, ()) if code in each), [code])
        if not any(each in symbol for each in found):
            found.append(code)
            once.append(_with_add_on(code, symbol))
    return once


def _with_add_on(reading: Reading, symbol: Iterable[Reading]) -> CodeOnImage:
    """Return the code with the add-on that the readings of its symbol show."""
    readings: dict[str, list[Reading]] = defaultdict(list)
    for each in symbol:
        readings[add_on_of(each.code)].append(each)
    add_on = clear_add_on({shown: sum(each.lines for each in same) for shown, same in readings.items()})
    if add_on == add_on_of(reading.code):
        return reading.code
    if not add_on:
        return replace(reading.code, text=reading.number)
    return max(readings[add_on], key=lambda each: height(each.code.corners) * each.width).code


def _symbols(readings: Iterable[Reading]) -> list[list[Reading]]:
    """Return the readings of one text by symbol.

    Those whose areas meet are of one symbol, and those that are near, unless one look shows both: then they are two.
    """
    symbols: list[list[Reading]] = []
    for reading in readings:
        joined = [each for each in symbols if any(meet(reading.code.corners, one.code.corners) for one in each)]
        symbols = [each for each in symbols if each not in joined]
        symbols.append([one for each in joined for one in each] + [reading])
    whole: list[list[Reading]] = []
    for symbol in symbols:
        near = next((each for each in whole if _are_of_one(symbol, each)), None)
        if near is None:
            whole.append(symbol)
        else:
            near.extend(symbol)
    return whole


def _are_of_one(symbol: Sequence[Reading], other: Sequence[Reading]) -> bool:
    if {each.look for each in symbol} & {each.look for each in other}:
        return False
    return any(one.is_near(another) for one in symbol for another in other)


def _doubts(readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings in doubt that are not at the place of one without doubt."""
    certain = [each for each in readings if not each.is_doubtful]
    return [each for each in readings if each.is_doubtful and not any(each.is_near(code) for code in certain)]


def _is_repeated(reading: Reading, place: Iterable[Reading]) -> bool:
    """Return whether enough looks show the text of a reading, and enough kinds if its check is weak."""
    same = [each for each in place if each.number == reading.number]
    is_weak = reading.trust.check in {"weak", "unknown"}
    seen = {each.kind if is_weak else each.look for each in same}
    return len(seen) >= _AGREEING_LOOKS


def _places(readings: Iterable[Reading]) -> list[list[Reading]]:
    places: list[list[Reading]] = []
    for reading in readings:
        found = next((place for place in places if any(reading.is_near(each) for each in place)), None)
        if found is None:
            places.append([reading])
        else:
            found.append(reading)
    return places
