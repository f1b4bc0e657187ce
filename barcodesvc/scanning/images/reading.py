"""Reading an image with one look or several.

Rule: what one picture gives depends on its pixels and the effort alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from barcodesvc.scanning.images.agreement import Reading, agreed, is_settled
from barcodesvc.scanning.images.codes import CodeOnImage, CodesOnImage, EffortName, ImageFile
from barcodesvc.scanning.images.one_look import codes_in, codes_in_look
from barcodesvc.scanning.images.paper import has_paper_beyond_lines

if TYPE_CHECKING:
    from barcodesvc.scanning.images.pixels import Pixels

MOST_CODES = 64
"""The maximum number of codes returned for an image: the first ones in reading order."""
MOST_IN_DOUBT = 256
"""Readings in doubt that end the looks, since each is compared with all others; one look shows up to 255."""


def read_image(image: ImageFile) -> CodesOnImage:
    """Return the codes on an image file; raises what `grey_pixels` raises."""
    from barcodesvc.scanning.images.pixels import grey_pixels  # noqa: PLC0415 - loaded at its first use, with Pillow

    return codes_with_effort(grey_pixels(image.content), image.effort, image.symbology)


def read_image_in_process(_: object, image: ImageFile) -> dict[str, Any]:
    """Return the result of `read_image` as JSON; for a worker process, without progress reports."""
    return asdict(read_image(image))


def codes_with_effort(pixels: Pixels, effort: EffortName, symbology: str = "") -> CodesOnImage:
    """Return the codes on a picture, among them short ones of this symbology, and the number of looks at it.

    `quick` is one look. `normal` looks further while nothing is found for certain. `thorough` first looks as `normal`
    does, so that it finds as much, and then further, because there may be more codes. What is in doubt does not count.
    """
    readings = [_reading(code, 1, "plain", pixels) for code in codes_in(pixels, symbology)]
    looks = 1
    if effort == "thorough" or (effort == "normal" and not is_settled(readings)):
        looks = _look_further(pixels, effort, symbology, readings)
    codes = _in_reading_order(agreed(readings))
    return CodesOnImage(codes[:MOST_CODES], len(codes) > MOST_CODES, looks)


def _look_further(pixels: Pixels, effort: EffortName, symbology: str, readings: list[Reading]) -> int:
    """Add what further looks show to the readings of the first; return the number of looks."""
    from barcodesvc.scanning.images.looks import EFFORTS, Looks  # noqa: PLC0415 - loaded at its first use, with Pillow

    looks, left = 1, EFFORTS[effort].all_pixels
    for name in _efforts(effort, len(pixels.luma), EFFORTS["normal"].copy_pixels):
        if name == "normal" and is_settled(readings):
            continue
        further = Looks(pixels.image(), EFFORTS[name], left)
        for look in further:
            looks += 1
            found = [_reading(code, looks, look.kind, pixels) for code in codes_in_look(look, symbology)]
            readings += found
            if name == "normal" and found and is_settled(readings):
                break
            if sum(each.is_doubtful for each in readings) > MOST_IN_DOUBT:
                return looks
            if any(each.is_doubtful for each in found):
                further.confirm(look)
        left -= further.used
    return looks


def _reading(code: CodeOnImage, look: int, kind: str, pixels: Pixels) -> Reading:
    """Return the code as a look shows it, and whether the original has paper above and below its lines."""
    reading = Reading(code, look, kind)
    return replace(reading, ends_at_paper=reading.has_few_lines and has_paper_beyond_lines(code, pixels))


def _efforts(effort: EffortName, pixels: int, most_pixels: int) -> tuple[EffortName, ...]:
    """Return the efforts to make in turn: small copies may show by chance what the larger ones of a large picture hide.

    Copies of a picture of few pixels are the same for each effort.
    """
    return ("normal", effort) if effort == "thorough" and pixels > most_pixels else (effort,)


def _in_reading_order(codes: Iterable[CodeOnImage]) -> tuple[CodeOnImage, ...]:
    """Order codes by lines: a code is on a line if it or the line's first code is level with the other's middle."""
    lines: list[list[CodeOnImage]] = []
    for code in sorted(codes, key=_top):
        first = lines[-1][0] if lines else None
        if first and (_top(code) < _middle(first) or _middle(code) < _bottom(first)):
            lines[-1].append(code)
        else:
            lines.append([code])
    return tuple(code for line in lines for code in sorted(line, key=lambda code: min(at.x for at in code.corners)))


def _top(code: CodeOnImage) -> int:
    return min(corner.y for corner in code.corners)


def _bottom(code: CodeOnImage) -> int:
    return max(corner.y for corner in code.corners)


def _middle(code: CodeOnImage) -> float:
    return (_top(code) + _bottom(code)) / 2
