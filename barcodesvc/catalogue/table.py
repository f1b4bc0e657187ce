"""Finding the catalogue in a workbook: which sheet, which header row, which columns.

What is found goes by the header names of columns.py; a selection overrules it. Rule: a selection that the
file does not have is refused with what the file does have, all problems at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from barcodesvc.catalogue.columns import (
    FIELDS,
    NEEDED,
    choose_header,
    column_named,
    mapped_columns,
    recognise_columns,
    row_texts,
)
from barcodesvc.errors import FieldProblem, InvalidInput
from barcodesvc.spreadsheets.rows import SheetRow, Worksheet

HEADER_WITHIN = 20
"""Rows of a sheet in which a header is looked for."""
_HEADER_CHARACTERS = 1_000_000
"""Characters after which it is looked for no further: a cell can hold 32,767 of them."""
_LONGEST_NAME = 100
_MOST_NAMES = 20
"""Sheets, headers or problems that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which sheet is read and which columns; None stands for what is found.

    `sheet` is compared exactly and then without case; a hidden sheet is read only if it is selected. `columns` maps
    headers, as they are written in the file, to fields; where it is given, nothing else is recognised.
    """

    sheet: str | None = None
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class RecognisedTable:
    """What was recognised: the sheet's title, the number beside the header row, and its headers.

    `recognised` maps a header to its field, `ignored` are the headers of columns that are not read; each header is
    cut after 100 characters.
    """

    sheet: str
    header_row: int
    recognised: dict[str, str]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A header, the 0-based column of each field, and the rows below, which can be read once."""

    found: RecognisedTable
    headers: tuple[str, ...]
    columns: dict[str, int]
    rows: Iterator[SheetRow]


@dataclass(frozen=True, slots=True)
class _Top:
    """The first rows of a sheet and what follows them."""

    sheet: Worksheet
    hidden: frozenset[int]
    rows: list[SheetRow]
    rest: Iterator[SheetRow]


def find_table(sheets: Sequence[Worksheet], selection: Selection) -> SheetTable:
    """Return the table of the first visible sheet that has a header row, or of the selected sheet.

    Raises InvalidInput where there is none, naming `sheet` and `map` where the selection is wrong.
    """
    chosen = _chosen_sheets(sheets, selection.sheet)
    problems = _map_problems(selection.columns)
    if selection.sheet is not None and not chosen:
        problems.append(_unknown_sheet(sheets, selection.sheet))
    if problems:
        raise InvalidInput.of(*problems)
    if selection.columns is None:
        return _recognised_table(map(_top, chosen), selection.sheet)
    return _mapped_table(map(_top, chosen), selection.columns)


def _recognised_table(tops: Iterable[_Top], selected: str | None) -> SheetTable:
    for top in tops:
        index = choose_header([recognise_columns(row_texts(row), top.hidden) for row in top.rows])
        if index is not None:
            return _table(top, index, recognise_columns(row_texts(top.rows[index]), top.hidden))
    lacking = "no sheet has" if selected is None else f"the sheet {selected[:_LONGEST_NAME]!r} does not have"
    raise InvalidInput(
        f"{lacking} a header row: name the columns in one of the first rows, at least product_code and description",
        rule="header row",
    )


def _mapped_table(tops: Iterable[_Top], mapping: Mapping[str, str]) -> SheetTable:
    closest: tuple[int, int, tuple[str, ...]] = (0, 0, ())
    for top in tops:
        for index, row in enumerate(top.rows):
            texts = row_texts(row)
            columns = mapped_columns(mapping, texts, top.hidden)
            if len(columns) == len(mapping):
                return _table(top, index, columns)
            closest = max(closest, (len(columns), sum(map(bool, texts)), texts), key=lambda kept: kept[:2])
    raise InvalidInput.of(*_unknown_headers(mapping, closest[2]))


def _top(sheet: Worksheet) -> _Top:
    rows = iter(sheet.rows())
    first: list[SheetRow] = []
    characters = 0
    for row in islice(rows, HEADER_WITHIN):
        first.append(row)
        characters += sum(map(len, row_texts(row)))
        if characters > _HEADER_CHARACTERS:
            break
    return _Top(sheet, sheet.hidden_columns(), first, rows)


def _table(top: _Top, index: int, columns: dict[str, int]) -> SheetTable:
    header = top.rows[index]
    texts = row_texts(header)
    fields = {index: field for field, index in columns.items()}
    found = RecognisedTable(
        top.sheet.title,
        header.number,
        {texts[index][:_LONGEST_NAME]: field for index, field in sorted(fields.items())},
        tuple(text[:_LONGEST_NAME] for index, text in enumerate(texts) if text and index not in fields),
    )
    return SheetTable(found, texts, columns, chain(top.rows[index + 1 :], top.rest))


def _chosen_sheets(sheets: Sequence[Worksheet], title: str | None) -> list[Worksheet]:
    if title is None:
        return [sheet for sheet in sheets if not sheet.hidden]
    exact = [sheet for sheet in sheets if sheet.title == title]
    return (exact or [sheet for sheet in sheets if sheet.title.casefold() == title.casefold()])[:1]


def _unknown_sheet(sheets: Sequence[Worksheet], title: str) -> FieldProblem:
    there = _listed([sheet.title for sheet in sheets])
    return FieldProblem("sheet", f"no such sheet; there are {there}", title[:_LONGEST_NAME])


def _map_problems(mapping: Mapping[str, str] | None) -> list[FieldProblem]:
    if mapping is None:
        return []
    wrong = [(header, field) for header, field in mapping.items() if field not in FIELDS]
    problems = [
        f"{header[:_LONGEST_NAME]!r} is mapped to {field[:_LONGEST_NAME]!r}; the fields are {', '.join(FIELDS)}"
        for header, field in wrong[:_MOST_NAMES]
    ]
    for field in FIELDS:
        headers = [header for header, mapped in mapping.items() if mapped == field]
        if len(headers) > 1:
            problems.append(f"{_listed(headers)} are all mapped to {field}; map one of them")
        elif not headers and field in NEEDED:
            problems.append(f"no header is mapped to {field}, which every product needs")
    return [FieldProblem("map", problem) for problem in problems]


def _unknown_headers(mapping: Mapping[str, str], headers: Sequence[str]) -> list[FieldProblem]:
    there = _listed(list(filter(None, headers))) if any(headers) else "none"
    missing = [name for name in mapping if column_named(name, headers, frozenset()) is None]
    problems = [f"no column is headed {name[:_LONGEST_NAME]!r}; the headers found are {there}" for name in missing]
    return [FieldProblem("map", problem) for problem in problems]


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMES])
    return f"{listed} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else listed
