"""What pictures of public sets show, as the files next to them say.

    NAME.txt      the text of the code, as of ZXing and zxing-cpp
    NAME.txt      a JSON list of objects with `text`, as of tools that compare readers
    NAME.txt      `SETS`, then the x and y of the corners of a code in each line, as of BoofCV
    output.json   `data` is the text of the code in input.png, as of jsQR; null only says that jsQR does not read it

A folder whose name begins with `falsepositives` or `no_code` has pictures without codes. Any other picture without such
a file has one code with any text.

Makers of pictures and readers write one text in several ways. They differ in line ends, in how FNC1 and the brackets of
AIs are written, and in the zero in front of a UPC-A. A reader may also add what a maker leaves out: the symbology
identifier, the (01) of a DataBar, an add-on or its plus, Codabar's start and stop letters, and the zeros of a UPC-E. It
may have the characters of a Code 39, not what its pairs or its Code 32 mean.

Rule: a text that is only a part of the other one is another text.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from barcodesvc.numbers.upce import gtins_of_upce
from barcodesvc.scanning.linear_variants import digits_of_code32, full_ascii
from tests.scanning.pictures.readers import Seen

_PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".gif"}
_WITHOUT_CODES = ("falsepositives", "no_code")
_IDENTIFIER = re.compile(r"^\][A-Za-z][0-9]")
_BRACKETS = re.compile(r"\(([0-9]{2,4})\)")
_RETAIL = re.compile(r"([0-9]{12,13})(\+[0-9]{5}|\+[0-9]{2})?")
_GTIN_ELEMENT = re.compile(r"01([0-9]{14})")
_CODABAR = re.compile(r"[A-Da-d]([0-9$+./:-]+)[A-Da-d]")
_EAN13_DIGITS = 13
_UPCE_DIGITS = 8

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """The texts of the codes on a picture, or their places; one code with any text if there are neither."""

    texts: frozenset[str] = frozenset()
    places: tuple[tuple[Point, ...], ...] = ()
    has_code: bool = True

    @property
    def codes(self) -> int:
        """How many codes there are, those with the same text once."""
        return (len(self.places) or len(self.texts) or 1) if self.has_code else 0

    def found(self, seen: Iterable[Seen]) -> int:
        """Return how many of the codes were read."""
        codes = list(seen)
        if self.places:
            return sum(any(_is_inside(code.middle, place) for code in codes) for place in self.places)
        if self.texts:
            return sum(any(_is_same(text, code.text) for code in codes) for text in self.texts)
        return int(self.has_code and bool(codes))

    def is_wrong(self, seen: Iterable[Seen]) -> bool:
        """Return whether a text was read that the picture does not show."""
        if not self.has_code:
            return any(True for _ in seen)
        return bool(self.texts) and any(all(not _is_same(text, code.text) for text in self.texts) for code in seen)


def pictures_in(folder: Path) -> Iterator[Path]:
    """Yield all pictures in a folder and those within it."""
    return (path for path in sorted(folder.rglob("*")) if path.suffix.lower() in _PICTURES)


def category_of(picture: Path) -> str:
    """Return the name of the picture's folder; a picture alone in its folder counts to the one above."""
    return picture.parent.parent.name if picture.stem == "input" else picture.parent.name


def answer_of(picture: Path) -> Answer | None:
    """Return what the files next to a picture say, None if they say nothing about it."""
    if category_of(picture).startswith(_WITHOUT_CODES):
        return Answer(has_code=False)
    as_json, as_text = picture.with_name("output.json"), picture.with_suffix(".txt")
    if as_json.exists():
        found = json.loads(as_json.read_text())
        return found and Answer(frozenset({found["data"]} - {""}))
    if not as_text.exists():
        return Answer()
    content = as_text.read_text("utf-8", "replace")
    if content.startswith(("#", "SETS")):
        lines = (line.split() for line in content.splitlines() if line[:1].isdigit() or line.startswith("-"))
        return Answer(places=tuple(_corners([float(number) for number in line]) for line in lines))
    if content.startswith("[{"):
        return Answer(frozenset(code["text"] for code in json.loads(content)))
    return Answer(frozenset({content}))


def _corners(numbers: list[float]) -> tuple[Point, ...]:
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _is_inside(point: Point, place: tuple[Point, ...]) -> bool:
    """Return whether a ray from the point crosses the sides of the place an odd number of times."""
    x, y = point
    crossed = 0
    for (one_x, one_y), (other_x, other_y) in zip(place, (*place[1:], place[0]), strict=True):
        if (one_y > y) != (other_y > y) and x < (other_x - one_x) * (y - one_y) / (other_y - one_y) + one_x:
            crossed += 1
    return crossed % 2 == 1


def _is_same(expected: str, text: str) -> bool:
    """Return whether a reader's text is the one that the maker of a picture expects."""
    return any(_plain(one) == _plain(other) for one in _with_more(expected) for other in _with_less(text))


def _plain(text: str) -> str:
    """Return the text without identifier, brackets and FNC1; of a UPC-A the digits of its EAN-13."""
    text = _IDENTIFIER.sub("", text)
    if text.startswith("("):
        text = _BRACKETS.sub(r"\1", text)
    text = text.replace("\x1d", "").replace("\r\n", "\n").replace("\r", "\n")
    retail = _RETAIL.fullmatch(text)
    return retail[1].zfill(_EAN13_DIGITS) + (retail[2] or "") if retail else text


def _with_more(text: str) -> Iterator[str]:
    """Yield the text of a maker, and the UPC-A of a UPC-E."""
    yield text
    if len(text) == _UPCE_DIGITS:
        yield from (gtin[1:] for gtin in gtins_of_upce(text))


def _with_less(text: str) -> Iterator[str]:
    """Yield the text of a reader, and it as makers write it."""
    yield from _with_more(text)
    plain = _plain(text)
    yield from (match[1] for kind in (_GTIN_ELEMENT, _CODABAR) if (match := kind.fullmatch(plain)))
    if _RETAIL.fullmatch(plain):
        yield from (plain.partition("+")[0], plain.replace("+", ""))
    digits = digits_of_code32(text)
    yield from (each for each in (full_ascii(text), digits and f"A{digits}") if each)
