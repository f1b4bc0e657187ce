"""What an import is answered with, at its end and in the events on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired

from typing_extensions import TypedDict

from barcodesvc.api.responses import Success
from barcodesvc.catalogue import importing
from barcodesvc.catalogue.importing import Outcome, PreviewedRow
from barcodesvc.catalogue.staged_table import WrongRow
from barcodesvc.catalogue.table import RecognisedTable


class PreviewRow(TypedDict):
    """A row of a dry run, and its product as the catalogue would then hold it."""

    row: int
    outcome: Outcome
    product_code: str
    description: str
    category: str
    unit_of_measure: str
    current_level: int
    minimum_level: int
    maximum_level: int


class ImportPreview(TypedDict):
    """What a dry run recognised: `columns` maps headers to fields, `ignored` are the other headers."""

    sheet: str
    header_row: int
    columns: dict[str, str]
    ignored: Sequence[str]
    rows: list[PreviewRow]


class ImportResult(TypedDict):
    """What became of each row; `updated` in mode `update`, `preview` of a dry run."""

    imported: int
    updated: NotRequired[int]
    skipped: int
    errors: list[WrongRow]
    errors_count: int
    errors_truncated: bool
    preview: NotRequired[ImportPreview]


class ImportAnswer(TypedDict):
    """An import that has ended."""

    success: Success
    data: ImportResult


class ImportProgress(TypedDict):
    """The data of an event `progress`."""

    rows_read: int
    imported: int
    updated: NotRequired[int]
    skipped: int
    errors: int


def import_result(result: importing.ImportResult, *, dry_run: bool, may_update: bool) -> ImportResult:
    """Return what became of each row."""
    errors, count = result.errors, result.errors_count
    answer = ImportResult(
        imported=result.imported,
        updated=result.updated,
        skipped=result.skipped,
        errors=errors,
        errors_count=count,
        errors_truncated=count > len(errors),
    )
    if not may_update:
        del answer["updated"]
    if dry_run and result.found:
        answer["preview"] = _preview(result.found, result.preview)
    return answer


def import_progress(result: importing.ImportResult, *, may_update: bool) -> ImportProgress:
    """Return the counts so far."""
    progress = ImportProgress(
        rows_read=result.rows_read,
        imported=result.imported,
        updated=result.updated,
        skipped=result.skipped,
        errors=result.errors_count,
    )
    if not may_update:
        del progress["updated"]
    return progress


def _preview(found: RecognisedTable, rows: list[PreviewedRow]) -> ImportPreview:
    return ImportPreview(
        sheet=found.sheet,
        header_row=found.header_row,
        columns=found.recognised,
        ignored=found.ignored,
        rows=[_preview_row(row) for row in rows],
    )


def _preview_row(row: PreviewedRow) -> PreviewRow:
    product = row.product
    return PreviewRow(
        row=row.row,
        outcome=row.outcome,
        product_code=product.product_code,
        description=product.description,
        category=product.category,
        unit_of_measure=product.unit_of_measure,
        current_level=product.current_level,
        minimum_level=product.minimum_level,
        maximum_level=product.maximum_level,
    )
