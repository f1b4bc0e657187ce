"""The output of a run of labels: its drawing becomes a file of some format.

Rule: a writer, and the library that it needs, is loaded when it is first used.
"""

from collections.abc import Callable
from typing import Literal

from barcodesvc.errors import InvalidInput, field_problem
from barcodesvc.labels.layout_requests import Layout
from barcodesvc.labels.sheet_drawing import SheetDrawing

Output = Callable[[SheetDrawing], bytes]
"""Makes a file of a drawing."""
PwgType = Literal["black_1", "sgray_8"]
"""The types of PWG raster: a bit or a byte for each dot."""
MOST_BYTES = 100_000_000
"""Bytes of a ZPL file; 10,000 labels with an image each take 40 million."""


def as_pdf(drawing: SheetDrawing, created: str | None = None) -> bytes:
    """Return a PDF; `created` is its date as an ISO 8601 timestamp in UTC, None for no date."""
    from barcodesvc.labels.writers.pdf import write_pdf  # noqa: PLC0415 - loaded at its first use

    return write_pdf(drawing, created)


def as_png(drawing: SheetDrawing, page: int = 1) -> bytes:
    """Return a picture of one page of a sheet or one label of a roll, counted from 1.

    Raises InvalidInput if there is no such page.
    """
    from barcodesvc.labels.writers.page_dots import write_png  # noqa: PLC0415 - loaded at its first use

    return write_png(drawing, page)


def as_zpl(drawing: SheetDrawing, layout: Layout) -> bytes:
    """Return labels for a ZPL printer, and what it is set to; raises InvalidInput for more than MOST_BYTES.

    Writing stops when the file gets too large: uncompressed labels may take megabytes each.
    """
    from barcodesvc.labels.writers.zpl import write_zpl  # noqa: PLC0415 - loaded at its first use

    file = bytearray()
    for piece in write_zpl(drawing, layout.graphics, darkness=layout.darkness, speed=layout.speed, media=layout.media):
        file += piece
        if len(file) > MOST_BYTES:
            message = f"the file has more than {MOST_BYTES // 10**6} MB; print fewer labels at a time"
            raise InvalidInput.of(field_problem("products", message))
    return bytes(file)


def as_pwg(drawing: SheetDrawing, kind: PwgType = "black_1") -> bytes:
    """Return pages for an IPP printer, of a type that it lists."""
    from barcodesvc.labels.writers.pwg import write_pwg  # noqa: PLC0415 - loaded at its first use

    return b"".join(write_pwg(drawing, kind))


def as_nothing(_: SheetDrawing) -> bytes:
    """Return nothing: such a run only checks that the labels can be printed."""
    return b""
