import csv
from collections.abc import Callable
from pathlib import Path

from barcodesvc.spreadsheets.cells import SheetRow

FirstSheet = Callable[[Path], list[SheetRow]]


def test_codes_of_groceries_are_read_as_people_see_them(catalogue_data: Path, first_sheet: FirstSheet) -> None:
    """Every code, however the workbook stores it, is read as in the accompanying table."""
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        promised = [line["xlsx_code"] for line in csv.DictReader(file)]
    rows = first_sheet(catalogue_data / "groceries.xlsx")
    assert [row.cells[0] for row in rows[1:]] == promised


def test_names_of_groceries_are_read_as_they_stand(catalogue_data: Path, first_sheet: FirstSheet) -> None:
    """Names keep their spaces, accents and scripts."""
    with (catalogue_data / "groceries.csv").open(encoding="utf-8", newline="") as file:
        names = [line["name"] for line in csv.DictReader(file)]
    rows = first_sheet(catalogue_data / "groceries.xlsx")
    assert [row.cells[1] if len(row.cells) > 1 else "" for row in rows[1:]] == names


def test_xls_gives_the_same_rows_as_xlsx(catalogue_data: Path, first_sheet: FirstSheet) -> None:
    """The same catalogue in both formats is read the same, row numbers included."""
    rows = first_sheet(catalogue_data / "catalogue.xls")
    assert rows == first_sheet(catalogue_data / "catalogue.xlsx")
    assert (len(rows), rows[-1].number) == (415, 415)
