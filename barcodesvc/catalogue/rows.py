"""The rows of a workbook as products, each validated separately.

    with open_catalogue(path) as table:
        table.found                      # what was recognised
        for row in table.rows:           # read on demand
            ...

Synchronous and lazy: no row is kept, which leaves the garbage collector little to count. The rules of a product are
those of `models`; only what is special to cells is checked here.

Rule: every row below the header that is not blank is returned exactly once, as a draft or as a problem. Only a header
that is repeated directly below itself is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, cast

from pydantic import ValidationError

from barcodesvc.catalogue.columns import (
    OTHER_CODES,
    attribute_of,
    is_attribute,
    names_columns_again,
    repeats_header,
    row_texts,
)
from barcodesvc.catalogue.decimal_codes import DecimalCodes
from barcodesvc.catalogue.other_codes import read
from barcodesvc.catalogue.quantities import Quantities
from barcodesvc.catalogue.table import RecognisedTable, Selection, SheetTable, find_table
from barcodesvc.fields import described
from barcodesvc.models import MAX_LEVEL, ProductDraft
from barcodesvc.product_codes import MOST_CODES, CodeDraft
from barcodesvc.spreadsheets.cells import Cell, CellProblem, MaskedNumber, SheetRow, TypedText
from barcodesvc.spreadsheets.encodings import TextEncoding, usual_name
from barcodesvc.spreadsheets.read import open_workbook
from barcodesvc.store.staging import OtherCode
from barcodesvc.texts import LONGEST_CODE, shows_nothing, strip_invisible
from barcodesvc.validation import broken_rule

_LONGEST_VALUE = 40
_LONGEST_DESCRIPTION = 100
"""Characters of the description of a wrong row."""

Rule = Literal[
    "required",
    "length",
    "characters",
    "lost digits",
    "no code",
    "whole number",
    "ambiguous",
    "range",
    "order",
    "cell",
    "header",
    "repeat",
    "taken",
    "too many",
    "other name",
    "encoding",
]
"""The rule that a cell breaks, as a stable identifier for programs.

    required       the field is blank or has no column
    length         more characters than the field may have
    characters     a character that the field may not have
    lost digits    a spreadsheet has shortened the code, as in 4.00E+12, or has a number of more than 15 digits
    no code        the code is a date, a time or a truth value
    whole number   not a whole number from 0
    ambiguous      a sign in it may separate thousands or decimals
    range          more than the greatest level
    order          the maximum is below the minimum
    cell           the cell holds an error such as #N/A, or a formula without a value
    header         the row directly below the header names the columns again, in other words
    repeat         an earlier row has the same code
    taken          another product has the code
    too many       the product would have more attributes than it may
    other name     the product with this code has another description (a warning)
    encoding       the encoding of the file is a guess (a warning)
"""

_STOCK = "initial_level"
_LEVELS = frozenset({_STOCK, "minimum_level", "maximum_level"})
_MESSAGES: dict[Rule, str] = {
    "required": "required",
    "length": "more than {max_length} characters",
    "range": f"more than {MAX_LEVEL}, the greatest level",
}
_DRAFT_FIELDS = {"current_level": "initial_level"}
_COLUMN_NAMES = {draft: column for column, draft in _DRAFT_FIELDS.items()}
_CODE, _DESCRIPTION = "product_code", "description"
_CODES = frozenset({_CODE, OTHER_CODES})
_SHORTENED = re.compile(r"\d(?:[.,](\d{1,20}))?E\+(\d{2,3})", re.IGNORECASE | re.ASCII)
"""A number as spreadsheets write a long one that they save as text: its decimals and its exponent."""


class RowDraft(NamedTuple):
    """A valid row: its number, its product, the fields that it fills in, its further codes, and cells left out of it.

    `other_codes` is None for a blank cell, which changes nothing.
    """

    row: int
    draft: ProductDraft
    filled: frozenset[str]
    other_codes: tuple[OtherCode, ...] | None
    left_out: tuple[WrongCell, ...] = ()


@dataclass(frozen=True, slots=True)
class WrongCell:
    """Why a cell cannot be imported; `column` is its field, or empty for the whole row."""

    column: Annotated[str, described("The field of the cell; empty for the whole row.", "minimum_level")]
    value: Annotated[str, described("The text of the cell, or its beginning.", "ten")]
    rule: Annotated[Rule, described("The rule that it breaks.", "whole number")]
    message: Annotated[str, described("What is wrong, in words for people.", "not a whole number")]
    first_row: Annotated[
        int | None, described("For `repeat`, the number of the row that has the code first; else null.", None)
    ] = None

    def __str__(self) -> str:
        return f"{self.column}: {self.message}" if self.column else self.message


@dataclass(frozen=True, slots=True)
class WrongRow:
    """Why a row is not imported, or what people should know about it; `row` is its number in the spreadsheet."""

    row: Annotated[int, described("The number of the row in the sheet, from 1.", 3)]
    product_code: Annotated[str, described("The code in the row; empty if none can be read.", "AB-1234")]
    description: Annotated[str, described("The description in the row, or its beginning.", "Ballpoint pen, blue")]
    error: Annotated[str, described("What is wrong, in words for people.", "minimum_level: not a whole number")]
    problems: Annotated[tuple[WrongCell, ...], described("What is wrong with each of its cells.")]

    @classmethod
    def of(cls, row: int, problems: tuple[WrongCell, ...], product_code: str = "", description: str = "") -> WrongRow:
        """Return the row with its problems in one line, and the beginning of its description."""
        error = "; ".join(map(str, problems))
        return cls(row, product_code, strip_invisible(description)[:_LONGEST_DESCRIPTION], error, problems)


CatalogueRow = RowDraft | WrongRow


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """The table of a catalogue, and the rows below its header, which can be read once.

    Reading them raises what reading the file raises.
    """

    found: RecognisedTable
    rows: Iterator[CatalogueRow]
    warnings: tuple[WrongCell, ...] = ()
    """What people should know about the whole file."""


_AS_FOUND = Selection()


@contextmanager
def open_catalogue(path: Path, selection: Selection = _AS_FOUND) -> Iterator[CatalogueTable]:
    """Open the table of a workbook: the first visible sheet with a header row, or what is selected.

    Raises InvalidFileFormat and FileTooLarge for files that cannot be read, and InvalidInput if there is no header row
    or, naming `sheet` and `map`, if the file does not have what is selected.
    """
    with open_workbook(path, selection.file_format, selection.encoding) as workbook:
        table = find_table(list(workbook.sheets()), selection)
        encoding = workbook.encoding
        if encoding is None:
            yield CatalogueTable(table.found, _catalogue_rows(table, selection))
        else:
            found = replace(table.found, encoding=usual_name(encoding.codec))
            yield CatalogueTable(found, _catalogue_rows(table, selection), _guess(encoding))


def _guess(encoding: TextEncoding) -> tuple[WrongCell, ...]:
    """Return the warning that an encoding is only a guess, if it is."""
    if not encoding.guessed:
        return ()
    name = usual_name(encoding.codec)
    message = f"the file does not say its encoding, and {name} is a guess: check letters such as ä, é and я"
    return (WrongCell("", name, "encoding", f"{message}, or name another encoding"),)


def _catalogue_rows(table: SheetTable, selection: Selection) -> Iterator[CatalogueRow]:
    validation = _Validation.of(table, selection)
    first = list(islice(table.rows, 1))
    if first and repeats_header(row_texts(first[0]), table.headers, table.columns):
        first = list(islice(table.rows, 1))
    for below in first:
        is_header = names_columns_again(row_texts(below), table.columns)
        yield WrongRow.of(below.number, (_SECOND_HEADER,)) if is_header else validation.row(below)
    yield from map(validation.row, table.rows)


def _column_texts(table: SheetTable, indexes: Sequence[int]) -> Iterator[str]:
    """Yield the texts in these columns of a table that are not blank; numbers remain what a spreadsheet wrote."""
    for row in table.rows_again():
        cells = (row.cells[index] for index in indexes if index < len(row.cells))
        texts = (cell for cell in cells if isinstance(cell, str) and not shows_nothing(cell))
        yield from (strip_invisible(text) if type(text) is str else text for text in texts)


_SECOND_HEADER = WrongCell(
    "", "", "header", "names the columns again; delete the row, or move it down if it is a product"
)


@dataclass(frozen=True, slots=True)
class _Validation:
    """Converts the cells of a row to a product: the fields of the draft and their columns.

    `attributes` are those of the texts that the draft has in one object.
    """

    texts: tuple[tuple[str, int], ...]
    levels: tuple[tuple[str, int], ...]
    attributes: tuple[str, ...]
    quantities: Quantities
    codes: DecimalCodes | None
    """None if the texts of codes are exact."""
    needs_description: bool
    makes_codes: bool
    filled: dict[tuple[str, ...], frozenset[str]] = field(default_factory=dict)
    """Shared sets of fields, one for all rows that fill in the same ones."""

    @classmethod
    def of(cls, table: SheetTable, selection: Selection) -> _Validation:
        fields = [(_DRAFT_FIELDS.get(name, name), index) for name, index in table.columns.items()]
        texts = tuple(one for one in fields if one[0] not in _LEVELS)
        levels = tuple(one for one in fields if one[0] in _LEVELS)
        quantities = Quantities(table.headers, partial(_column_texts, table, [index for _, index in levels]))
        is_exact = table.is_export or _CODE not in table.columns
        codes = None if is_exact else DecimalCodes(partial(_column_texts, table, [table.columns[_CODE]]))
        attributes = tuple(filter(is_attribute, table.columns))
        needs_description = _DESCRIPTION in selection.needed
        return cls(texts, levels, attributes, quantities, codes, needs_description, selection.make_codes)

    def row(self, row: SheetRow) -> CatalogueRow:
        """Return the row as a draft, or all of its problems."""
        values, wrong = self._texts(row.cells)
        other_codes = self._other_codes(values, wrong)
        if not self.makes_codes and _CODE not in values:
            wrong.setdefault(_CODE, WrongCell(_CODE, "", "required", _MESSAGES["required"]))
        left_out = self._add_levels(values, row.cells)
        fields = tuple(values)
        if not self.needs_description:
            values.setdefault(_DESCRIPTION, values.get(_CODE, "-"))
        error = None
        try:
            draft = ProductDraft.model_validate(values)
        except ValidationError as found:
            error = found
        if error or wrong or _STOCK in left_out:
            return self._problem(row, wrong | left_out, error)
        filled = self.filled.get(fields) or self.filled.setdefault(fields, frozenset(fields))
        return RowDraft(row.number, draft, filled, other_codes, tuple(left_out.values()))

    def _other_codes(self, values: dict[str, Any], wrong: dict[str, WrongCell]) -> tuple[OtherCode, ...] | None:
        """Take the further codes of a row out of its texts; what is wrong with them is added to `wrong`."""
        text = seen_in(OTHER_CODES, values.pop(OTHER_CODES, ""))
        if not isinstance(text, str) or shows_nothing(text):
            return None
        try:
            codes = tuple(read(text))
            for code in codes:
                CodeDraft(code=code.code, pack_quantity=code.pack_quantity, note=code.note)
            _require_few(codes, values.get(_CODE))
        except ValidationError as error:
            rule = broken_rule(error.errors()[0])["rule"]
            message = error.errors()[0]["msg"].removeprefix("Value error, ")
            wrong[OTHER_CODES] = WrongCell(OTHER_CODES, text[:_LONGEST_VALUE], cast("Rule", rule), message)
        except ValueError as error:
            wrong[OTHER_CODES] = WrongCell(OTHER_CODES, text[:_LONGEST_VALUE], "characters", str(error))
        else:
            return codes
        return None

    def _add_levels(self, values: dict[str, Any], cells: Sequence[Cell]) -> dict[str, WrongCell]:
        """Add the levels of a row that are not blank, and return what is wrong with the others."""
        width = len(cells)
        left_out: dict[str, WrongCell] = {}
        for name, index in self.levels:
            if index >= width or not (cell := cells[index]):
                continue
            level = self._level(name, seen_in(name, cell))
            if isinstance(level, WrongCell):
                left_out[name] = level
            elif level is not None:
                values[name] = level
        return left_out

    def _level(self, name: str, cell: Cell) -> int | WrongCell | None:
        column = _COLUMN_NAMES.get(name, name)
        if isinstance(cell, CellProblem):
            return WrongCell(column, cell.shown, "cell", cell.message)
        text = cell if isinstance(cell, TypedText) else strip_invisible(cell)
        if not text:
            return None
        level = self.quantities.read(text)
        return level if isinstance(level, int) else WrongCell(column, text[:_LONGEST_VALUE], *level)

    def _texts(self, cells: Sequence[Cell]) -> tuple[dict[str, Any], dict[str, WrongCell]]:
        """Return the texts of a row where the draft has them, and what is wrong with the others."""
        width = len(cells)
        values: dict[str, Any] = {}
        wrong: dict[str, WrongCell] = {}
        for name, index in self.texts:
            if index >= width or not (cell := cells[index]):
                continue
            is_plain = type(cell) is str and name not in _CODES
            if not is_plain and (refusal := _text_refusal(name, seen_in(name, cell))):
                wrong[name] = refusal
            elif isinstance(cell, str) and not shows_nothing(cell):
                values[name] = cell
        if _CODE in values:
            values[_CODE] = self._visible_code(values[_CODE])
        for name in self.attributes:
            if name in values:
                values.setdefault("attributes", {})[attribute_of(name)] = seen_in(name, values.pop(name))
        return values, wrong

    def _visible_code(self, cell: str) -> Cell:
        """Return the characters of a code that a person sees."""
        if type(cell) is str:
            return self.codes.read(strip_invisible(cell)) if self.codes else cell
        return seen_in(_CODE, cell)

    def _problem(self, row: SheetRow, wrong: Mapping[str, WrongCell], error: ValidationError | None) -> WrongRow:
        seen = {
            name: seen_in(name, row.cells[index]) for name, index in self.texts + self.levels if index < len(row.cells)
        }
        texts = {name: cell for name, cell in seen.items() if isinstance(cell, str) and not shows_nothing(cell)}
        known = wrong.keys() if self.needs_description or _DESCRIPTION in texts else wrong.keys() | {_DESCRIPTION}
        broken = [] if error is None else [rule for name, rule in _broken_rules(error, texts) if name not in known]
        code = strip_invisible(texts.get(_CODE, ""))
        shown = code if len(code) <= LONGEST_CODE else ""  # no row can repeat a longer one
        return WrongRow.of(row.number, (*wrong.values(), *broken), shown, texts.get(_DESCRIPTION, ""))


def _require_few(codes: Sequence[OtherCode], own: object) -> None:
    """Raise ValueError for too many codes, and for one that is there twice, or that is the product's own."""
    if len(codes) > MOST_CODES:
        raise ValueError(f"{len(codes)} codes; a product has at most {MOST_CODES} further ones")
    seen = {own}
    for one in codes:
        if one.code in seen:
            raise ValueError(f"{one.code!r} is there twice, or is the product's own code")
        seen.add(one.code)


def _has_lost_digits(code: str) -> bool:
    shortened = _SHORTENED.fullmatch(strip_invisible(code)) if "+" in code else None
    return shortened is not None and len(shortened[1] or "") < int(shortened[2])


def seen_in(column: str, cell: Cell) -> Cell:
    """Return a cell as people see it in the column of a field."""
    if not isinstance(cell, MaskedNumber):
        return cell
    if _DRAFT_FIELDS.get(column, column) in _LEVELS:
        return cell.number
    if column in {_CODE, OTHER_CODES}:
        return cell.code
    return cell.price if is_attribute(column) else cell


_REMEDY = "format the column as text, and enter it again"
_NO_CODES = frozenset({"date", "time", "truth value"})


def _text_refusal(name: str, cell: Cell) -> WrongCell | None:
    """Return why a cell is not the text that a person meant."""
    if isinstance(cell, CellProblem):
        return WrongCell(name, cell.shown, "cell", cell.message)
    if isinstance(cell, TypedText) and (refusal := _type_refusal(name, cell)):
        return refusal
    if name in _CODES and _has_lost_digits(cell):
        return WrongCell(name, cell, "lost digits", f"{cell!r} is a number without its last digits; {_REMEDY}")
    return None


def _type_refusal(name: str, cell: TypedText) -> WrongCell | None:
    value = cell[:_LONGEST_VALUE]
    if cell.kind == "long number":
        message = f"{value!r} is a number of more than 15 digits, of which a spreadsheet loses the last ones; {_REMEDY}"
        return WrongCell(name, value, "lost digits", message)
    if name in _CODES and cell.kind in _NO_CODES:
        message = f"{value!r} is a {cell.kind}, which a spreadsheet may have made of a code; {_REMEDY}"
        return WrongCell(name, value, "no code", message)
    return None


def _broken_rules(error: ValidationError, texts: Mapping[str, str]) -> Iterator[tuple[str, WrongCell]]:
    for problem in error.errors(include_url=False, include_input=False):
        name = ".".join(map(str, problem["loc"]))
        rule = cast("Rule", broken_rule(problem)["rule"])
        message = _MESSAGES.get(rule, "").format(**problem.get("ctx", {}))
        message = message or problem["msg"].removeprefix("Value error, ")
        value = texts.get(name, "")[:_LONGEST_VALUE]
        yield name, WrongCell(_COLUMN_NAMES.get(name, name), value, rule, message)
