"""Sheets, rows and cells, the result of reading a workbook of any file format.

Rule: a cell is the text that a person sees in the spreadsheet, or the reason why its content cannot be used. A row has
the number that the spreadsheet shows, and ends with its last cell that is not blank.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, Self

from barcodesvc.spreadsheets.encodings import TextEncoding
from barcodesvc.texts import shows_nothing

MAX_COLUMNS = 256
"""Columns that are read; those to the right of column IV are ignored."""

MAX_ROWS = 1_048_576
"""Rows that a sheet can have (ECMA-376-1, 18.3.1.73; the limit of every spreadsheet program)."""

MAX_TEXT = 32_767
"""Characters of one cell that are read (the limit of every spreadsheet program)."""

KEPT_TEXT = 1_000
"""Characters of one cell that are kept: a small file can show a long text in a million cells."""
_BEGINNING = 400
_FILLING = "\u2026" * (KEPT_TEXT - _BEGINNING)

MAX_SHEETS = 256
"""Sheets that a workbook may have."""


@dataclass(frozen=True, slots=True)
class CellProblem:
    """A cell whose content cannot be used: `message` says why and what to do, `shown` is the visible text."""

    message: str
    shown: str = ""


Cell = str | CellProblem
"""The text of a cell, `""` if it is blank."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row that is not entirely blank; `number` counts all rows from 1."""

    number: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Worksheet:
    """A worksheet with the title of its tab; the tab of a `hidden` one is not visible.

    `rows()` reads the rows again, in the order of the file, hidden ones included. `hidden_columns()` returns the
    0-based columns that are not visible, before any row is read.
    """

    title: str
    hidden: bool
    hidden_columns: Callable[[], frozenset[int]]
    rows: Callable[[], Iterator[SheetRow]]


Kind = Literal["date", "time", "truth value", "fraction", "long number"]
"""What a cell holds that is neither text nor a whole number of up to 15 digits, all of which a spreadsheet keeps."""


class TypedText(str):
    """The text of a cell that holds something else, such as a date that was typed as a code."""

    __slots__ = ("kind",)
    kind: Kind

    def __new__(cls, shown: str, kind: Kind) -> Self:
        """Return `shown` with its kind."""
        text = super().__new__(cls, shown)
        text.kind = kind
        return text


class MaskedNumber(str):
    """A number in a code's format, such as `05 Stk`, or its digits if the format does not pad.

    `number` has only its digits, for a level; `code` has all visible characters, for a code; `price` has the decimals
    that its format shows, for an attribute.
    """

    __slots__ = ("code", "number", "price")
    number: str
    code: str
    price: str

    def __new__(cls, shown: str, number: str, code: str, price: str | None = None) -> Self:
        """Return `shown` with the other forms."""
        text = super().__new__(cls, shown)
        text.number = number
        text.code = code
        text.price = shown if price is None else price
        return text


def kept_text(text: str) -> str:
    """Return the text of a cell, shortened if it is too long to be kept.

    A shortened text is its beginning, filled up with 600 ellipses, so that it remains too long for every field of a
    product after white space is stripped.
    """
    if len(text) <= KEPT_TEXT:
        return text
    if len(text) <= MAX_TEXT and len(stripped := text.strip()) <= KEPT_TEXT:
        return stripped
    return text[:_BEGINNING] + _FILLING


TRUE, FALSE = TypedText("TRUE", "truth value"), TypedText("FALSE", "truth value")


def error_cell(name: str) -> CellProblem:
    """Return the problem of an error cell such as `#N/A`."""
    return CellProblem(f"contains the error {name}: correct it in the spreadsheet", name)


def is_blank(cells: list[Cell]) -> bool:
    """Return whether nothing is visible in these cells."""
    for cell in cells:  # noqa: SIM110 - the first cell usually decides, and a generator costs several times as much
        if cell != "" and (isinstance(cell, CellProblem) or not shows_nothing(cell)):
            return False
    return True


class Workbook(Protocol):
    """An open workbook of any format; only that of a text file has an encoding."""

    @property
    def encoding(self) -> TextEncoding | None:
        """The encoding that was given, found or guessed."""
        ...

    def sheets(self) -> Iterator[Worksheet]:
        """Yield the worksheets in the order of their tabs, first the visible ones and then the hidden ones.

        Sheets that only a macro can show ("very hidden") are omitted.
        """
        ...

    def close(self) -> None:
        """Release the file."""
        ...
