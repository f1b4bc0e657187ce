"""Pharmacode, one-track, by which packing machines check what they pack (Laetus, Pharmacode Guide).

The number counts in twos: from the right, a narrow bar is worth 1, 2, 4, … and a wide one twice as much, which is the
binary notation of the next number without its leading 1. Narrow bars are 1 module, wide ones 3, spaces 2. The quiet
zone is 6 mm in print at the usual module of 0.5 mm, hence 12 modules.
"""

from __future__ import annotations

from barcodesvc.errors import InvalidContent
from barcodesvc.symbols.alphabets import DIGITS, PHARMACODE_FITS, require_alphabet
from barcodesvc.symbols.modules import Bars, captioned_bars

_LEAST, _MOST = 3, 131070
_MOST_DIGITS = 6
_RUN_OF_BIT = {"0": 1, "1": 3}
_SPACE = 2
_QUIET_ZONE = 12


def pharmacode(content: str) -> Bars:
    """Encode a number from 3 to 131070 as one-track Pharmacode; zeros in front would be lost, so there are none."""
    require_alphabet("PHARMACODE", content, DIGITS, PHARMACODE_FITS)
    if content.startswith("0"):
        raise InvalidContent(
            "PHARMACODE: a zero at position 1 would be lost", rule="leading zero", position=1, fits=PHARMACODE_FITS
        )
    if len(content) > _MOST_DIGITS or not _LEAST <= int(content) <= _MOST:
        raise InvalidContent(
            f"PHARMACODE: {content} at position 1 is not within {_LEAST} to {_MOST}",
            rule="range",
            position=1,
            fits=PHARMACODE_FITS,
        )
    bits = f"{int(content) + 1:b}"[1:]
    runs = [run for bit in bits for run in (_RUN_OF_BIT[bit], _SPACE)]
    return captioned_bars(tuple(runs[:-1]), content, _QUIET_ZONE)
