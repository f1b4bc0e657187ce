"""The codes on an image: their texts, symbologies and places.

Rule: a process that reads images returns these as JSON, so they consist of plain values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from barcodesvc.fields import described

NOT_DRAWN = ("DX Film Edge", "MaxiCode", "Telepen")
"""Symbologies that zxing-cpp reads and the registry does not have; they are read only where they are named."""
EffortName = Literal["quick", "normal", "thorough"]
"""How hard to look at an image."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file, how hard to look at it, and the symbology that its client names, in the registry or not drawn."""

    content: bytes
    effort: EffortName = "normal"
    symbology: str = ""


@dataclass(frozen=True, slots=True)
class ImagePoint:
    """A point of the upright image, in pixels from its top left."""

    x: Annotated[int, described("Pixels from the left.", 40)]
    y: Annotated[int, described("Pixels from the top.", 25)]


Corners = tuple[ImagePoint, ImagePoint, ImagePoint, ImagePoint]


@dataclass(frozen=True, slots=True)
class CodeOnImage:
    """A code on an image.

    `symbology` is the registry's name, or zxing-cpp's if the service cannot draw it. `corners` are the symbol's top
    left, top right, bottom right and bottom left; for a linear code, they are those of the lines that read it, which
    are level in the image even if the code is not.
    """

    text: str
    symbology: str
    corners: Corners


@dataclass(frozen=True, slots=True)
class CodesOnImage:
    """The codes on an image in reading order, whether there are more of them, and the number of looks at it."""

    codes: tuple[CodeOnImage, ...]
    is_truncated: bool
    looks: int
