"""What an import reports: the outcome of all rows, what a dry run has recognised, and how far it is."""

from collections.abc import Sequence
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from barcodesvc.api.signature import Enveloped
from barcodesvc.catalogue import importing
from barcodesvc.catalogue.rows import WrongRow
from barcodesvc.catalogue.table import RecognisedTable
from barcodesvc.fields import described
from barcodesvc.store.staging import PreviewRow

_Imported = Annotated[int, described("The number of rows that became new products.", 998)]
_Updated = Annotated[int, described("The number of rows that changed a product or its level.", 0)]
_Skipped = Annotated[int, described("The number of rows whose products existed already, and stay as they are.", 1)]


class ImportPreview(TypedDict):
    """The columns that a dry run recognised: `columns` maps headers to fields, `ignored` lists the other headers.

    A text file such as CSV has an `encoding`.
    """

    sheet: Annotated[str, described("The name of the sheet that is read.", "Stock")]
    header_row: Annotated[int, described("The number of the row with the headers, from 1.", 1)]
    program: Annotated[
        str | None, described("The program whose list this is, by its columns; null for any other.", "Shopify")
    ]
    columns: Annotated[
        dict[str, str], described("The field of each header that is read.", {"Article no.": "product_code"})
    ]
    ignored: Annotated[Sequence[str], described("The headers that are not read.", ["Shelf"])]
    encoding: NotRequired[
        Annotated[str, described("The encoding of a text file, as given, found or guessed.", "windows-1252")]
    ]
    rows: Annotated[list[PreviewRow], described("The first rows.")]


class ImportResult(TypedDict):
    """The outcome of all rows; `updated` not in mode `skip`, `warnings` if there are any, `preview` for a dry run."""

    imported: _Imported
    updated: NotRequired[_Updated]
    skipped: _Skipped
    levels_ignored: Annotated[
        int,
        described(
            "The number of rows with another level than their product, whose level stays. `mode=count` sets it, and "
            "`mode=receive` adds to it.",
            3,
        ),
    ]
    errors: Annotated[list[WrongRow], described("The rows that were not imported, or the first of them.")]
    errors_count: Annotated[int, described("The number of rows that were not imported.", 1)]
    errors_truncated: Annotated[bool, described("Whether `errors` lists only the first of them.", example=False)]
    warnings: NotRequired[
        Annotated[
            list[WrongRow],
            described("What people should know: cells that were left out of rows, or a guess; the first of them."),
        ]
    ]
    warnings_count: NotRequired[Annotated[int, described("The number of rows with warnings.", 1)]]
    preview: NotRequired[Annotated[ImportPreview, described("What a dry run recognised.")]]
    import_id: NotRequired[
        Annotated[int, described("The id of the import, which its changes have; none of a dry run.", 1)]
    ]
    new_products: NotRequired[
        Annotated[
            list[int],
            described(
                f"The ids of the new products, the first {importing.NEW_PRODUCTS} by row; none of a dry run.", [1, 2]
            ),
        ]
    ]


FinishedImport = Annotated[
    ImportResult, Enveloped("ImportResponse", "An import that has ended.", "The outcome of all rows.")
]


class ImportProgress(TypedDict):
    """The data of an event `progress`."""

    rows_read: Annotated[int, described("The number of rows read so far.", 1000)]
    imported: _Imported
    updated: NotRequired[_Updated]
    skipped: _Skipped
    errors: Annotated[int, described("The number of rows with errors.", 1)]


def import_result(result: importing.ImportResult, mode: str) -> ImportResult:
    """Return the outcome of all rows."""
    errors, count = result.errors, result.errors_count
    response = ImportResult(
        imported=result.imported,
        updated=result.updated,
        skipped=result.skipped,
        levels_ignored=result.levels_ignored,
        errors=errors,
        errors_count=count,
        errors_truncated=count > len(errors),
    )
    if mode == "skip":
        del response["updated"]
    if result.warned.count:
        response["warnings"] = result.warned.first
        response["warnings_count"] = result.warned.count
    if result.import_id is None and result.found:
        response["preview"] = _preview(result.found, result.preview)
    if result.import_id is not None:
        response["import_id"] = result.import_id
        response["new_products"] = result.new_products
    return response


def import_progress(result: importing.ImportResult, mode: str) -> ImportProgress:
    """Return the counts so far."""
    progress = ImportProgress(
        rows_read=result.rows_read,
        imported=result.imported,
        updated=result.updated,
        skipped=result.skipped,
        errors=result.errors_count,
    )
    if mode == "skip":
        del progress["updated"]
    return progress


def _preview(found: RecognisedTable, rows: list[PreviewRow]) -> ImportPreview:
    preview = ImportPreview(
        sheet=found.sheet,
        header_row=found.header_row,
        program=found.program,
        columns=found.recognised,
        ignored=found.ignored,
        rows=rows,
    )
    if found.encoding is not None:
        preview["encoding"] = found.encoding
    return preview
