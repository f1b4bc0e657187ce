"""The output of a run of labels: the format of its file, and the settings of that format alone.

Rule: a writer, and the library that it needs, is loaded when it is used first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from barcodesvc.labels.drawing import SheetDrawing


@dataclass(frozen=True, slots=True)
class PdfOutput:
    """A PDF; `created` is its date as an ISO 8601 timestamp in UTC, None for no date."""

    created: str | None = None

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield the file in one piece."""
        from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

        yield write_pdf(drawing, self.created)


@dataclass(frozen=True, slots=True)
class PngOutput:
    """A picture of one page of a sheet or one label of a roll, counted from 1."""

    page: int = 1

    def write(self, drawing: SheetDrawing) -> Iterator[bytes]:
        """Yield the file in one piece; raises InvalidInput if there is no such page."""
        from barcodesvc.labels.writers.png import write_png  # noqa: PLC0415 - loaded at its first use

        yield write_png(drawing, self.page)


Output = PdfOutput | PngOutput
"""The formats that a job can have."""
