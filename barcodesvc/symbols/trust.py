"""How far a reading of a symbology on an image can be trusted: without it, parts of codes and noise pass for codes.

`scanning/images/agreement.py` says how the rules work. The limits come from drawn codes, turned and damaged: each is
beyond what wrong texts had.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

Check = Literal["unknown", "weak", "fair", "strong"]
"""With a weak check, a blurred or noisy copy may yield a wrong text whose check is valid. With a fair one too, but two
copies seldom yield the same one. Strong are those that correct errors or have check values of their own."""


@dataclass(frozen=True, slots=True)
class Trust:
    """What puts a reading in doubt; heights of lines are shares of the code's width, widths are in pixels.

    check            how well the symbol is checked
    few_lines        the height of the lines that read a code, below which it may be part of another; 0 if it never is
    usual_length     length from which `few_lines` shrinks in proportion: a long upright code is low for its width, but
                     a slanted line leaves any code after a few modules
    part_lines       the height of the lines below which a part never counts, as other codes or noise show it at a slant
    least_length     characters below which a code is always in doubt
    least_width      the width below which a code may be part of another, or noise
    most_slant       the most by which rows may be apart in their own direction, by the width
    most_shear       the most by which both sides may lean in one direction, as their tangent
    is_read_twice    whether one look may show a symbol twice, along different lines
    needs_paper      whether a corner of another symbol may be read as one, so that one counts only with paper around it
    is_misplaced     whether zxing-cpp mirrors some places, so that one of several with one text counts
    """

    check: Check
    few_lines: float = 0.0
    usual_length: float = math.inf
    part_lines: float = 0.0
    least_length: int = 0
    least_width: float = 0.0
    most_slant: float = math.inf
    most_shear: float = math.inf
    is_read_twice: bool = False
    needs_paper: bool = False
    is_misplaced: bool = False


UNKNOWN = Trust("unknown")
CORRECTING = Trust("strong")
MICRO_QR = Trust("strong", needs_paper=True)
"""A corner of a damaged QR code may be read as one."""
AZTEC = Trust("strong", least_length=4)
"""Rings in rings may be read as a short one."""
PDF417 = Trust("weak", part_lines=math.inf, most_shear=0.1)
"""Lines at a slant take it from several of its rows; of those beyond this shear, many are corrected to another text."""

FAIR = Trust("fair", few_lines=0.07)
EAN13 = Trust("weak", few_lines=0.07)
WEAK = replace(EAN13, few_lines=0.09)
"""A weak check needs more lines."""
EAN8 = replace(WEAK, part_lines=math.inf)
"""Lines at a slant show it within an EAN-13."""
CODABAR = replace(EAN8, usual_length=14)
"""Of any length, so a part of a code, or of other stripes, may be one."""
ITF = replace(CODABAR, least_length=6)
"""Shorter ones are too similar to other stripes."""
UPCE = Trust("weak", few_lines=0.16, part_lines=0.09)
"""Where light covers a bar, several lines read another number. One of more lines than a part has may be low."""

DATABAR = Trust("weak", few_lines=0.02, is_read_twice=True)
"""Only single lines are in doubt."""
EXPANDED = replace(DATABAR, check="strong", is_misplaced=True)
STACKED_OMNI = replace(DATABAR, few_lines=0.0)
STACKED = replace(STACKED_OMNI, part_lines=math.inf, least_width=75, most_slant=1 / 8)
"""At least 1.5 pixels for each module: noise gives narrower ones. One whose rows are farther apart is another DataBar
at a slant."""
