"""The rows of a workbook as products: header found, columns recognised, each row validated on its own.

Synchronous and lazy, made to be drawn batch by batch in a worker thread. Rule: every row that is not blank comes
out exactly once, as a draft or as a problem.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from barcodesvc.catalogue_columns import recognise_columns
from barcodesvc.errors import InvalidInput
from barcodesvc.models import ProductDraft
from barcodesvc.spreadsheets.read import open_workbook
from barcodesvc.spreadsheets.rows import Cell, CellProblem, Row, Sheet

BATCH = 500
HEADER_WITHIN = 20
"""Rows of a sheet in which a header is looked for."""
_LEVELS = ("initial_level", "minimum_level", "maximum_level")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class RowDraft:
    """A valid row: its number, its product, and the fields that it filled in."""

    number: int
    draft: ProductDraft
    filled: frozenset[str]


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row that cannot be imported, and its product code if that much can be read."""

    number: int
    message: str
    product_code: str = ""


CatalogueRow = RowDraft | RowProblem


def catalogue_batches(path: Path) -> Generator[list[CatalogueRow]]:
    """Yield the data rows of the first sheet with a header row, in batches.

    Raises InvalidFileFormat and FileTooLarge for files that cannot be read, InvalidInput if no sheet has a header.
    """
    with open_workbook(path) as workbook:
        rows = _data_rows(workbook.sheets())
        while batch := list(islice(rows, BATCH)):
            yield batch


def _data_rows(sheets: Iterable[Sheet]) -> Iterator[CatalogueRow]:
    for sheet in sheets:
        rows = iter(sheet.rows())
        for row in islice(rows, HEADER_WITHIN):
            columns = recognise_columns([cell if isinstance(cell, str) else "" for cell in row.cells])
            if columns:
                yield from (_catalogue_row(row, columns) for row in rows)
                return
    raise InvalidInput(
        "no sheet has a header row: name the columns in one of the first rows, at least product_code and description",
        rule="header row",
    )


def _catalogue_row(row: Row, columns: Mapping[str, int]) -> CatalogueRow:
    cells = {field: _cell(row, index) for field, index in columns.items()}
    code = cells["product_code"]
    readable_code = code if isinstance(code, str) else ""
    problems = [
        f"{_column_name(field)}: {cell.message}" for field, cell in cells.items() if isinstance(cell, CellProblem)
    ]
    filled = {field: cell for field, cell in cells.items() if isinstance(cell, str) and cell.strip()}
    values: dict[str, object] = dict(filled)
    for field in _LEVELS:
        text = filled.get(field, "").strip()
        if _WHOLE_NUMBER.fullmatch(text):
            values[field] = int(text)
        elif text:
            problems.append(f"{_column_name(field)}: {text[:40]!r} is not a whole number from 0")
    try:
        draft = ProductDraft.model_validate(values)
    except ValidationError as error:
        problems += _described(error, told={problem.partition(":")[0] for problem in problems})
        return RowProblem(row.number, "; ".join(problems), readable_code)
    if problems:
        return RowProblem(row.number, "; ".join(problems), readable_code)
    return RowDraft(row.number, draft, frozenset(filled))


def _cell(row: Row, index: int) -> Cell:
    return row.cells[index] if index < len(row.cells) else ""


def _described(error: ValidationError, told: set[str]) -> list[str]:
    problems = []
    for problem in error.errors(include_url=False, include_input=False):
        field = _column_name(str(problem["loc"][0])) if problem["loc"] else ""
        message = "required" if problem["type"] == "missing" else problem["msg"].removeprefix("Value error, ")
        if field not in told:
            problems.append(f"{field}: {message}" if field else message)
    return problems


def _column_name(field: str) -> str:
    return "current_level" if field == "initial_level" else field
