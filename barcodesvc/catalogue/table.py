"""Finding the catalogue in a workbook: its sheet, header row and columns.

Columns are recognised by the header names of columns.py, unless a selection names them.

Rule: a selection that the file does not have is refused with a list of what the file has, all problems at once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from barcodesvc.catalogue.columns import (
    ATTRIBUTE_COLUMN,
    FIELDS,
    NEEDED,
    OTHER_CODES,
    attribute_field,
    choose_header,
    column_named,
    is_attribute,
    is_field,
    mapped_columns,
    recognise_columns,
    row_texts,
)
from barcodesvc.errors import LEFT_OUT, InvalidFileFormat, InvalidInput, Problem, field_problem
from barcodesvc.spreadsheets.cells import SheetRow, Worksheet
from barcodesvc.spreadsheets.read import FileFormat

HEADER_WITHIN = 20
"""Rows of a sheet that are searched for a header."""
_HEADER_CHARACTERS = 1_000_000
"""Characters after which the search ends: a cell can hold 32,767 of them."""
_LONGEST_NAME = 100
_MOST_HEADERS = 100
"""Headers that a refusal gives to the client, for people to map."""
_MOST_NAMES = 20
"""Sheets, headers or problems that a refusal lists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which format and encoding a file has, which sheet and which columns are read; None means automatic recognition.

    `sheet` is compared exactly, then without case; a hidden sheet is only read if it is selected. `columns` maps
    headers, as written in the file, to fields; if it is given, no other column is read.
    """

    sheet: str | None = None
    columns: Mapping[str, str] | None = None
    file_format: FileFormat | None = None
    encoding: str | None = None
    needed: tuple[str, ...] = NEEDED
    """The fields without which no row can be imported."""
    make_codes: bool = False
    """Whether the service makes the codes of rows that have none."""


@dataclass(frozen=True, slots=True)
class RecognisedTable:
    """What was recognised: the sheet's title, the number of the header row, and its headers.

    `recognised` maps a header to its field; `ignored` has the headers of columns that are not read. Each header is cut
    to 100 characters. `encoding` is the usual name of a text file's encoding, None for a workbook.
    `program` is the one whose list this is, None for any other table.
    """

    sheet: str
    header_row: int
    recognised: dict[str, str]
    ignored: tuple[str, ...]
    encoding: str | None = None
    program: str | None = None


@dataclass(frozen=True, slots=True)
class SheetTable:
    """A header, the 0-based column of each field, and the rows below, which can only be read once.

    The rows of a program's list are completed, as its preset says.
    """

    found: RecognisedTable
    headers: tuple[str, ...]
    columns: dict[str, int]
    rows: Iterator[SheetRow]
    rows_again: Callable[[], Iterator[SheetRow]]
    """Yields the same rows from the first one on, as often as needed."""

    @property
    def is_export(self) -> bool:
        """Whether the headers are those of an export of this service, whose texts are exact."""
        return set(FIELDS) - {OTHER_CODES} <= set(self.headers)  # exports before 0.10 have no further codes


@dataclass(frozen=True, slots=True)
class _SheetHead:
    """The first rows of a sheet, and the remaining ones."""

    sheet: Worksheet
    hidden: frozenset[int]
    rows: list[SheetRow]
    rest: Iterator[SheetRow]


def find_table(sheets: Sequence[Worksheet], selection: Selection) -> SheetTable:
    """Return the table of the first visible sheet with a header row, or of the selected sheet.

    Raises InvalidInput if there is none; it names `sheet` and `map` if the selection is wrong.
    """
    chosen = _chosen_sheets(sheets, selection.sheet)
    problems = _map_problems(selection.columns, selection.needed)
    if selection.sheet is not None and not chosen:
        there = _listed([sheet.title for sheet in sheets])
        message = f"no such sheet; there are {there}"
        problems.append(field_problem("sheet", message, selection.sheet[:_LONGEST_NAME], rule="sheet", fits=there))
    if problems:
        raise InvalidInput.of(*problems)
    heads = _SheetHeads(chosen)
    if selection.columns is None:
        return _recognised_table(heads, selection)
    return _mapped_table(heads, selection.columns)


class _SheetHeads:
    """The heads of the sheets up to the first damaged one; raises its refusal if it is the first sheet."""

    def __init__(self, sheets: Sequence[Worksheet]) -> None:
        self._sheets = sheets
        self.broken: str | None = None
        """The title of a damaged sheet; it may contain the header, so the sheets after it are not searched."""

    def __iter__(self) -> Iterator[_SheetHead]:
        for number, sheet in enumerate(self._sheets):
            try:
                head = _head_of(sheet)
            except InvalidFileFormat:
                if number == 0:
                    raise
                self.broken = sheet.title[:_LONGEST_NAME]
                return
            yield head


def _recognised_table(heads: _SheetHeads, selection: Selection) -> SheetTable:
    selected, needed = selection.sheet, "description" if selection.make_codes else "product_code"
    widest: _Widest | None = None
    for head in heads:
        if (table := _table_of_program(head)) is not None:
            return table
        index = choose_header([recognise_columns(row_texts(row), head.hidden, needed) for row in head.rows])
        if index is not None:
            headers = row_texts(head.rows[index])
            _require_names(headers)
            return _table(head, index, recognise_columns(headers, head.hidden, needed))
        widest = widest or _widest(head)
    lacking = "no sheet has" if selected is None else f"the sheet {selected[:_LONGEST_NAME]!r} does not have"
    if heads.broken is not None:
        lacking = f"no sheet before {heads.broken!r}, which is damaged, has"
    raise InvalidInput(
        f"{lacking} a header row: name the columns in one of the first rows, at least product_code and description",
        rule="header row",
        sheet=widest.sheet if widest else LEFT_OUT,
        header_row=widest.header_row if widest else LEFT_OUT,
        header_texts=widest.header_texts if widest else LEFT_OUT,
    )


class _Widest(NamedTuple):
    """The row of a sheet that has the most texts, whose fields people can name."""

    sheet: str
    header_row: int
    header_texts: list[str]


def _widest(head: _SheetHead) -> _Widest | None:
    texts = [(row.number, list(filter(None, row_texts(row)))) for row in head.rows]
    number, headers = max(texts, key=lambda row: len(row[1]), default=(0, []))
    listed = [header[:_LONGEST_NAME] for header in headers[:_MOST_HEADERS]]
    return _Widest(head.sheet.title[:_LONGEST_NAME], number, listed) if listed else None


def _table_of_program(head: _SheetHead) -> SheetTable | None:
    from barcodesvc.catalogue.program_tables import preset_columns, preset_of  # noqa: PLC0415 - only an import needs the table

    for index, row in enumerate(head.rows):
        headers = row_texts(row)
        if preset := preset_of(headers):
            return _table(head, index, preset_columns(preset, headers, head.hidden))
    return None


def _require_names(headers: Sequence[str]) -> None:
    """Refuse headers of attributes with names that no attribute can have: their columns must not be lost silently."""
    wrong = [header for header in headers if (field := attribute_field(header)) and not is_field(field)]
    if wrong:
        message = f"{_listed(wrong)}: after {ATTRIBUTE_COLUMN} comes a name of 1 to 32 characters of a-z, 0-9 and _"
        raise InvalidInput.of(field_problem("file", message, _listed(wrong), rule="attribute"))


def _mapped_table(heads: _SheetHeads, mapping: Mapping[str, str]) -> SheetTable:
    closest: tuple[int, int, tuple[str, ...]] = (0, 0, ())
    for head in heads:
        for index, row in enumerate(head.rows):
            texts = row_texts(row)
            columns = mapped_columns(mapping, texts, head.hidden)
            if len(columns) == len(mapping):
                return _table(head, index, columns)
            closest = max(closest, (len(columns), sum(map(bool, texts)), texts), key=lambda kept: kept[:2])
    problems = _unknown_headers(mapping, closest[2])
    if heads.broken is not None:
        problems.append(
            field_problem("file", f"the sheet {heads.broken!r} is damaged; it was not searched for headers")
        )
    raise InvalidInput.of(*problems)


def _head_of(sheet: Worksheet) -> _SheetHead:
    rows = iter(sheet.rows())
    first: list[SheetRow] = []
    characters = 0
    for row in islice(rows, HEADER_WITHIN):
        first.append(row)
        characters += sum(map(len, row_texts(row)))
        if characters > _HEADER_CHARACTERS:
            break
    return _SheetHead(sheet, sheet.hidden_columns(), first, rows)


def _table(head: _SheetHead, index: int, columns: dict[str, int]) -> SheetTable:
    from barcodesvc.catalogue.program_tables import preset_of, program_table  # noqa: PLC0415 - as above

    header = head.rows[index]
    texts = row_texts(header)
    preset = preset_of(texts)
    program = program_table(preset, texts, columns) if preset else None
    fields = {index: field for field, index in columns.items()}
    found = RecognisedTable(
        head.sheet.title,
        header.number,
        {texts[index][:_LONGEST_NAME]: field for index, field in sorted(fields.items())},
        tuple(text[:_LONGEST_NAME] for index, text in enumerate(texts) if text and index not in fields),
        program=program.program if program else None,
    )
    complete: Callable[[Iterator[SheetRow]], Iterator[SheetRow]] = program.rows if program else iter
    rows = chain(head.rows[index + 1 :], head.rest)
    return SheetTable(
        found,
        texts,
        columns,
        rows=complete(rows),
        rows_again=lambda: complete(row for row in head.sheet.rows() if row.number > header.number),
    )


def _chosen_sheets(sheets: Sequence[Worksheet], title: str | None) -> list[Worksheet]:
    if title is None:
        return [sheet for sheet in sheets if not sheet.hidden]
    exact = [sheet for sheet in sheets if sheet.title == title]
    return (exact or [sheet for sheet in sheets if sheet.title.casefold() == title.casefold()])[:1]


def _map_problems(mapping: Mapping[str, str] | None, needed: Sequence[str]) -> list[Problem]:
    if mapping is None:
        return []
    wrong = [(header, field) for header, field in mapping.items() if not is_field(field)]
    allowed = f"the fields are {', '.join(FIELDS)}, and attributes.NAME with 1 to 32 characters of a-z, 0-9 and _"
    problems = [
        field_problem("map", f"{header[:_LONGEST_NAME]!r} is mapped to {field[:_LONGEST_NAME]!r}; {allowed}")
        for header, field in wrong[:_MOST_NAMES]
    ]
    for field in (*FIELDS, *filter(is_attribute, dict.fromkeys(mapping.values()))):
        headers = [header for header, mapped in mapping.items() if mapped == field]
        if len(headers) > 1:
            problems.append(field_problem("map", f"{_listed(headers)} are all mapped to {field}; map one of them"))
        elif not headers and field in needed:
            message = f"no header is mapped to {field}, which every product needs"
            problems.append(field_problem("map", message, rule="needed", fits=field))
    return problems


def _unknown_headers(mapping: Mapping[str, str], headers: Sequence[str]) -> list[Problem]:
    there = _listed(list(filter(None, headers))) if any(headers) else "none"
    missing = [name for name in mapping if column_named(name, headers, frozenset()) is None]
    return [
        field_problem(
            "map",
            f"no column is headed {name[:_LONGEST_NAME]!r}; the headers found are {there}",
            name[:_LONGEST_NAME],
            rule="header",
            fits=there,
        )
        for name in missing
    ]


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(repr(name[:_LONGEST_NAME]) for name in names[:_MOST_NAMES])
    return f"{listed} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else listed
