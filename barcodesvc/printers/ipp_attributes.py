"""What an IPP printer reports: its state, the formats that it reads, and the media in it.

    printer-state-reasons    such as `media-empty-error`; the state says whether it is stopped by that
    media-col-ready          collections with a size in hundredths of a millimetre, and margins (PWG 5100.7)
    media-ready              names, as `oe_address-label_28x89mm`, for printers that list no collections (PWG 5101.1)

Rule: sizes that differ by at most a millimetre are the same, because makers round them; so are both orientations of
one. A length of 0, or a range of lengths, is a continuous roll, which has any length.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from barcodesvc.print_jobs import PrinterState
from barcodesvc.printers.connection import BLACK, GREY, PDF, PWG_RASTER
from barcodesvc.printers.ipp_messages import Response, Tag, plain

WANTED = (
    *("printer-state", "printer-state-reasons", "printer-is-accepting-jobs", "printer-make-and-model"),
    *("printer-firmware-name", "cups-version", "media-ready", "media-col-ready"),
    *("document-format-supported", "pwg-raster-document-type-supported", "pwg-raster-document-resolution-supported"),
)
"""The attributes that are asked for."""
_STOPPED, _PROCESSING = 5, 4
_DOTS_PER_INCH = 3
_FRAMEWORK = "PAPPL"
"""What LPrint and other printer applications are made with, and name as a part of their firmware."""
_REASONS = {
    "cover-open": PrinterState.HEAD_OPEN,
    "door-open": PrinterState.HEAD_OPEN,
    "media-empty": PrinterState.OUT_OF_PAPER,
    "media-needed": PrinterState.OUT_OF_PAPER,
    "marker-supply-empty": PrinterState.RIBBON_OUT,
    "paused": PrinterState.PAUSED,
}
"""Reasons of a printer's state, the most important first. Each may have a suffix; a warning counts if it stopped."""
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


@dataclass(frozen=True, slots=True)
class IppAttributes:
    """What a printer reports.

    `media_types` are those of documents that it reads, the best first; `resolutions` those of PWG raster, in dots per
    inch; `is_spooler` is whether it is a server whose jobs are completed once the printer behind it has their bytes.
    """

    state: PrinterState
    model: str
    media_types: tuple[str, ...]
    resolutions: tuple[int, ...]
    ready: tuple[ReadyMedia, ...]
    is_spooler: bool


def printer_attributes(found: Response, dpi: int) -> IppAttributes:
    """Return what a response says about a printer of this resolution, in dots per inch."""
    resolutions = tuple(_resolutions(found))
    is_framework = _FRAMEWORK in found.values(Tag.PRINTER_GROUP, "printer-firmware-name")
    return IppAttributes(
        _state(found),
        plain(next(iter(found.values(Tag.PRINTER_GROUP, "printer-make-and-model")), "")),
        tuple(_media_types(found, dpi, resolutions)),
        resolutions,
        ready_media(found),
        is_framework or bool(found.values(Tag.PRINTER_GROUP, "cups-version")),
    )


def ready_media(found: Response) -> tuple[ReadyMedia, ...]:
    """Return the media that a printer says are in it; none if it does not say."""
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


def _media_types(found: Response, dpi: int, resolutions: Sequence[int]) -> Iterator[str]:
    formats = found.values(Tag.PRINTER_GROUP, "document-format-supported")
    if PDF in formats:
        yield PDF
    if PWG_RASTER in formats and dpi in (resolutions or [dpi]):
        kinds = found.values(Tag.PRINTER_GROUP, "pwg-raster-document-type-supported")
        yield BLACK if "black_1" in kinds or "sgray_8" not in kinds else GREY


def _resolutions(found: Response) -> Iterator[int]:
    for value in found.values(Tag.PRINTER_GROUP, "pwg-raster-document-resolution-supported"):
        if isinstance(value, tuple) and value[0] == value[1] and value[2] == _DOTS_PER_INCH:
            yield value[0]


def _state(found: Response) -> PrinterState:
    reasons = [str(reason) for reason in found.values(Tag.PRINTER_GROUP, "printer-state-reasons")]
    state = next(iter(found.values(Tag.PRINTER_GROUP, "printer-state")), None)
    suffixes = ("", "-error", "-warning", "-report") if state == _STOPPED else ("", "-error")
    for reason, meaning in _REASONS.items():
        if any(f"{reason}{suffix}" in reasons for suffix in suffixes):
            return meaning
    if state == _STOPPED or found.values(Tag.PRINTER_GROUP, "printer-is-accepting-jobs") == [False]:
        return PrinterState.PAUSED
    return PrinterState.BUSY if state == _PROCESSING else PrinterState.READY
