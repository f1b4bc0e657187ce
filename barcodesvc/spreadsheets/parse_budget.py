"""Parse budget: how much work a workbook may make before and beside the rows that it holds.

A stranger's file is packed: a megabyte of it can be a hundred megabytes of blank cells, unknown elements or comments,
which take minutes and give nothing. So work is counted while it is done, and must be earned with rows. A file that is
large because it holds much has all it needs; one that holds nothing is over after a second or two. What is counted is
markup and bytes, never time: the same file is always judged the same.
"""

from __future__ import annotations

from barcodesvc.spreadsheets.refusals import too_large

FREE_MARKS = 2_000_000
"""Marks that need no row: half a million blank cells with a style, about a second's work."""

MARKS_PER_ROW = 1_024
MARKS_PER_CELL = 32
MARKS_PER_TEXT = 256
FREE_BYTES = 64 << 20
BYTES_PER_ROW = 1 << 20
BYTES_PER_TEXT = 1 << 15
"""What a row that is not blank, a cell that is not, and a text of the shared table allow beside themselves."""


class ParseBudget:
    """The account of one workbook; a mark is half of a tag or one attribute."""

    def __init__(self) -> None:
        self._marks = FREE_MARKS
        self._bytes = FREE_BYTES

    def spend(self, chunk: bytes) -> None:
        """Count a piece of XML that is about to be parsed; raises FileTooLarge when the account is empty."""
        self._marks -= 2 * chunk.count(b"<") + chunk.count(b"=")
        self._bytes -= len(chunk)
        if self._marks < 0 or self._bytes < 0:
            raise too_large(
                "it consists nearly wholly of blank cells (such as emptied rows that keep their format; delete them) "
                "or of parts that hold no data"
            )

    def earn_rows(self, count: int, cells: int) -> None:
        """Count rows that are not blank, and their cells that are not, in whatever columns."""
        self._marks += count * MARKS_PER_ROW + cells * MARKS_PER_CELL
        self._bytes += count * BYTES_PER_ROW

    def earn_texts(self, count: int) -> None:
        """Count texts of the shared table."""
        self._marks += count * MARKS_PER_TEXT
        self._bytes += count * BYTES_PER_TEXT
