"""The media that is ready in an IPP printer: its sizes and margins (PWG 5100.7 and PWG 5101.1).

    media-col-ready    collections with a size in hundredths of a millimetre, and margins
    media-ready        names such as `oe_address-label_28x89mm`, for printers that list no collections

Rule: sizes that differ by at most a millimetre are the same, because makers round them; so are both orientations of
one. A length of 0, or a range of lengths, is a roll without labels, which has any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from barcodesvc.printers.ipp_messages import Response, Tag

MARGINS = ("media-bottom-margin", "media-left-margin", "media-right-margin", "media-top-margin")
_NAMED = re.compile(r"[a-z0-9_.-]*_([0-9]{1,4}(?:\.[0-9]{1,4})?)x([0-9]{1,4}(?:\.[0-9]{1,4})?)(mm|in)")
_NO_MEDIA = ("custom_min_", "custom_max_", "roll_min_", "roll_max_")
"""How the names of limits of sizes begin."""
_HUNDREDTHS = {"mm": 100, "in": 2540}
_TOLERANCE = 100
_MOST_TOLD = 4
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class ReadyMedia:
    """A width and a length in hundredths of a millimetre, 0 for any length, and the margins that the printer lists."""

    width: int
    length: int
    margins: Mapping[str, int]

    def __str__(self) -> str:
        """Return the size as settings write it, with `roll` for any length."""
        width, length = (f"{side / 100:.4g}" for side in (self.width, self.length))
        return f"{width}x{length}mm" if self.length else f"{width}mm roll"

    def fits(self, width: float, height: float) -> bool:
        """Return whether labels or pages of this width and height in mm are on it, not turned."""
        is_long = not self.length or abs(self.length - 100 * height) <= _TOLERANCE
        return is_long and abs(self.width - 100 * width) <= _TOLERANCE


def ready_media(found: Response) -> tuple[ReadyMedia, ...]:
    """Return the media that a printer says are in it; none if it does not tell."""
    listed = filter(None, map(_in_collection, found.values(Tag.PRINTER_GROUP, "media-col-ready")))
    named = filter(None, map(_in_name, found.values(Tag.PRINTER_GROUP, "media-ready")))
    return tuple(listed) or tuple(named)


def has_size(ready: Iterable[ReadyMedia], width: float, height: float) -> bool:
    """Return whether labels or pages of this size in mm are on one of them, turned or not."""
    return any(one.fits(width, height) or one.fits(height, width) for one in ready)


def margins(ready: Iterable[ReadyMedia], width: float, height: float) -> Mapping[str, int]:
    """Return the margins of the first media of this size in mm."""
    return next((one.margins for one in ready if one.fits(width, height)), {})


def told(ready: Iterable[ReadyMedia]) -> str:
    """Return the sizes, each once, as people read them."""
    return " or ".join(list(dict.fromkeys(map(str, ready)))[:_MOST_TOLD])


def _in_collection(value: Any) -> ReadyMedia | None:
    size = value.get("media-size") if isinstance(value, dict) else None
    if not isinstance(size, dict):
        return None
    width, length = size.get("x-dimension"), size.get("y-dimension")
    if not _is_length(width) or not width:
        return None
    margins = {name: value[name] for name in MARGINS if _is_length(value.get(name))}
    return ReadyMedia(width, length if _is_length(length) else 0, margins)


def _in_name(value: Any) -> ReadyMedia | None:
    name = str(value)
    found = _NAMED.fullmatch(name)
    if found is None or name.startswith(_NO_MEDIA):
        return None
    width, length = (round(float(side) * _HUNDREDTHS[found[3]]) for side in (found[1], found[2]))
    return ReadyMedia(width, length, {}) if width else None


def _is_length(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and 0 <= value <= _LARGEST
