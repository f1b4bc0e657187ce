"""Workbooks of rows, which a test may change further before it saves them."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any

import openpyxl
import xlwt

Rows = Iterable[Sequence[Any]]


def xlsx_book(*sheets: Rows) -> openpyxl.Workbook:
    """Return a workbook with a sheet for each of these tables."""
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet() if number else book.worksheets[0]
        for row in rows:
            sheet.append(list(row))
    return book


def xls_book(rows: Rows, number_format: str = "General") -> xlwt.Workbook:
    """Return a workbook of Excel 97 with one sheet; None leaves a cell out."""
    book = xlwt.Workbook()
    sheet, style = book.add_sheet("Products"), xlwt.easyxf(num_format_str=number_format)
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            if value is not None:
                sheet.write(number, column, value, style)
    return book


def saved(book: openpyxl.Workbook | xlwt.Workbook) -> bytes:
    """Return the file of a workbook."""
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def xlsx(*sheets: Rows) -> bytes:
    """Return an .xlsx file with a sheet for each of these tables."""
    return saved(xlsx_book(*sheets))


def xls(rows: Rows, number_format: str = "General") -> bytes:
    """Return an .xls file of one sheet."""
    return saved(xls_book(rows, number_format))
