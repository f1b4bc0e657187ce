"""The output of a run of labels: the format of its file, and the settings of that format alone.

Rule: a writer, and the library that it needs, is loaded when it is used first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.labels.drawing import SheetDrawing

Graphics = Literal["z64", "acs", "hex"]
"""How ZPL has images: deflated, with counts of equal digits, or plain."""
Media = Literal["gap", "mark", "continuous"]
"""How a printer finds the next label."""
PwgType = Literal["black_1", "sgray_8"]
"""The types of PWG raster: a bit or a byte for each dot."""
MOST_BYTES = 100_000_000
"""Bytes of a ZPL file; 10,000 labels with an image each take 40 million."""


@dataclass(frozen=True, slots=True)
class PdfOutput:
    """A PDF; `created` is its date as an ISO 8601 timestamp in UTC, None for no date."""

    created: str | None = None

    def write(self, drawing: SheetDrawing) -> bytes:
        """Return the file."""
        from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

        return write_pdf(drawing, self.created)


@dataclass(frozen=True, slots=True)
class PngOutput:
    """A picture of one page of a sheet or one label of a roll, counted from 1."""

    page: int = 1

    def write(self, drawing: SheetDrawing) -> bytes:
        """Return the file; raises InvalidInput if there is no such page."""
        from barcodesvc.labels.writers.png import write_png  # noqa: PLC0415 - loaded at its first use

        return write_png(drawing, self.page)


@dataclass(frozen=True, slots=True)
class ZplOutput:
    """Labels for a ZPL printer, and what it is set to, None for what it is set to already.

    darkness: 0 to 30; speed: 1 to 14 inches a second.
    """

    graphics: Graphics = "z64"
    darkness: int | None = None
    speed: int | None = None
    media: Media | None = None

    def write(self, drawing: SheetDrawing) -> bytes:
        """Return the file; raises InvalidInput for more than MOST_BYTES."""
        from barcodesvc.labels.writers.zpl import write_zpl  # noqa: PLC0415 - loaded at its first use

        return _bounded(write_zpl(drawing, self.graphics, darkness=self.darkness, speed=self.speed, media=self.media))


@dataclass(frozen=True, slots=True)
class PwgOutput:
    """Pages for an IPP printer, of a type that it lists."""

    type: PwgType = "black_1"

    def write(self, drawing: SheetDrawing) -> bytes:
        """Return the file."""
        from barcodesvc.labels.writers.pwg import write_pwg  # noqa: PLC0415 - loaded at its first use

        return b"".join(write_pwg(drawing, self.type))


@dataclass(frozen=True, slots=True)
class NoOutput:
    """Nothing: a run with this output only checks that the labels can be printed."""

    def write(self, _: SheetDrawing) -> bytes:
        """Return nothing."""
        return b""


Output = PdfOutput | PngOutput | ZplOutput | PwgOutput | NoOutput


def _bounded(pieces: Iterator[bytes]) -> bytes:
    """Return a file, which is given up when it gets too large: uncompressed labels may take megabytes each."""
    file = bytearray()
    for piece in pieces:
        file += piece
        if len(file) > MOST_BYTES:
            message = f"the file has more than {MOST_BYTES // 10**6} MB; print fewer labels at a time"
            raise InvalidInput.of(field_problem("products", message))
    return bytes(file)
