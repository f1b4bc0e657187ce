"""The output of a run of labels: the format of its file, and the settings of that format alone.

A streamed output begins before its last label is drawn, and is written label by label.

Rule: a writer, and the library that it needs, is loaded when it is used first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from barcodesvc.labels.drawing import SheetDrawing

Graphics = Literal["z64", "acs", "hex"]
"""How ZPL has images: deflated, with counts of equal digits, or plain."""
Media = Literal["gap", "mark", "continuous"]
"""How a printer finds the next label."""
PwgType = Literal["black_1", "sgray_8"]
"""The types of PWG raster: a bit or a byte for each dot."""


@dataclass(frozen=True, slots=True)
class PdfOutput:
    """A PDF; `created` is its date as an ISO 8601 timestamp in UTC, None for no date."""

    created: str | None = None
    is_streamed: ClassVar = False

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield the file in one piece."""
        from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

        yield write_pdf(drawing, self.created)


@dataclass(frozen=True, slots=True)
class PngOutput:
    """A picture of one page of a sheet or one label of a roll, counted from 1."""

    page: int = 1
    is_streamed: ClassVar = False

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield the file in one piece; raises InvalidInput if there is no such page."""
        from barcodesvc.labels.writers.png import write_png  # noqa: PLC0415 - loaded at its first use

        yield write_png(drawing, self.page)


@dataclass(frozen=True, slots=True)
class ZplOutput:
    """Labels for a ZPL printer, and what it is set to, None for what it is set to already.

    darkness: 0 to 30; speed: 1 to 14 inches a second.
    """

    graphics: Graphics = "z64"
    darkness: int | None = None
    speed: int | None = None
    media: Media | None = None
    is_streamed: ClassVar = True

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield each label."""
        from barcodesvc.labels.writers.zpl import write_zpl  # noqa: PLC0415 - loaded at its first use

        yield from write_zpl(drawing, self.graphics, darkness=self.darkness, speed=self.speed, media=self.media)


@dataclass(frozen=True, slots=True)
class PwgOutput:
    """Pages for an IPP printer, of a type that it lists."""

    type: PwgType = "black_1"
    is_streamed: ClassVar = True

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield each page."""
        from barcodesvc.labels.writers.pwg import write_pwg  # noqa: PLC0415 - loaded at its first use

        yield from write_pwg(drawing, self.type)


@dataclass(frozen=True, slots=True)
class NoOutput:
    """Nothing: a run with this output only checks that the labels can be printed."""

    is_streamed: ClassVar = True

    def write(self, _: SheetDrawing) -> Iterator[bytes]:
        """Yield nothing."""
        return iter(())


Output = PdfOutput | PngOutput | ZplOutput | PwgOutput | NoOutput
