"""Photos of codes in a folder: how many are read, how many as another text, and in what time, by folder within it.

A picture may have the text of its code in a file next to it, with the suffix `.txt`, as those of ZXing and zxing-cpp
have. Only letters and digits are compared, because makers write separators and symbology identifiers in many ways, and
add-ons are not, because most leave them out.
Folders whose name begins with `falsepositives` have pictures without codes.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from barcodesvc.scanning.image_codes import codes_in
from barcodesvc.scanning.image_reading import read_image
from barcodesvc.scanning.pixels import grey_pixels
from scripts.benchmarks.report import Figure

_PICTURES = {".png", ".jpg", ".jpeg", ".webp"}


@dataclass(frozen=True, slots=True)
class _Outcome:
    is_found: bool
    is_found_at_once: bool
    is_wrong: bool
    seconds: float


def measure(folder: Path) -> Iterator[Figure]:
    """Yield the share of the pictures of each folder that are read, and that of all."""
    outcomes: dict[str, list[_Outcome]] = defaultdict(list)
    for picture in sorted(folder.rglob("*")):
        if picture.suffix in _PICTURES:
            outcomes[picture.parent.name].append(_outcome(picture))
    yield from (_figure(name, found) for name, found in outcomes.items())
    yield _figure("all photos", [each for found in outcomes.values() for each in found])


def _outcome(picture: Path) -> _Outcome:
    content, answer, has_code = picture.read_bytes(), picture.with_suffix(".txt"), not _is_without_code(picture)
    expected = _plain(answer.read_text("utf-8", "replace")) if answer.exists() else ""
    begun = time.process_time()
    texts = [_plain(code.text) for code in read_image(content).codes]
    seconds = time.process_time() - begun
    wrong = bool(texts) and not (has_code and any(text in expected or expected in text for text in texts))
    at_once = bool(codes_in(grey_pixels(content)))
    return _Outcome(bool(texts) is has_code, at_once is has_code, wrong, seconds)


def _is_without_code(picture: Path) -> bool:
    return picture.parent.name.startswith("falsepositives")


def _plain(text: str) -> str:
    return re.sub(r"\+[0-9]+$|[^0-9A-Za-z]", "", text)


def _figure(name: str, outcomes: list[_Outcome]) -> Figure:
    found, at_once, wrong = (
        sum(each) for each in zip(*((o.is_found, o.is_found_at_once, o.is_wrong) for o in outcomes), strict=True)
    )
    slowest = max(each.seconds for each in outcomes)
    note = f"{found} of {len(outcomes)}, by zxing-cpp alone {at_once}; {wrong} as another text; {slowest:.2f} s at most"
    return Figure(f"{name}, read", found / len(outcomes), "%", None, note)
