"""What pictures of public sets show, as the files next to them say.

    NAME.txt      the text of the code, as of ZXing and zxing-cpp
    NAME.txt      a JSON list of objects with `text`, as of tools that compare readers
    NAME.txt      `SETS`, then the x and y of the corners of a code in each line, as of BoofCV
    output.json   `data` is the text of the code in input.png, as of jsQR; null only says that jsQR does not read it

A folder whose name begins with `falsepositives` or `no_code` has pictures without codes. Any other picture without such
a file has one code with any text.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.scanning.pictures.notations import is_same
from tests.scanning.pictures.readers import Seen

_PICTURES = {".png", ".jpg", ".jpeg", ".webp", ".gif"}
_WITHOUT_CODES = ("falsepositives", "no_code")

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
            return sum(any(is_same(text, code.text) for code in codes) for text in self.texts)
        return int(self.has_code and bool(codes))

    def is_wrong(self, seen: Iterable[Seen]) -> bool:
        """Return whether a text was read that the picture does not show."""
        if not self.has_code:
            return any(True for _ in seen)
        return bool(self.texts) and any(all(not is_same(text, code.text) for text in self.texts) for code in seen)


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
