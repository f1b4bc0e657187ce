"""Refusals of files, whose messages say what is wrong and what the person can do next."""

from __future__ import annotations

from barcodesvc.errors import FileTooLarge, InvalidFileFormat

SAVE_AS = "open it in a spreadsheet program and save it as .xlsx (Excel workbook)"


def damaged(what: str) -> InvalidFileFormat:
    """Return the refusal of a workbook that is broken; `what` names the broken thing."""
    return InvalidFileFormat(f"The workbook is damaged: {what}. Please {SAVE_AS} again.")


def not_a_workbook(what: str) -> InvalidFileFormat:
    """Return the refusal of a file that is something else; `what` names what it is."""
    return InvalidFileFormat(f"The file is {what}, not an .xlsx or .xls workbook. Please {SAVE_AS}.")


def too_large(what: str) -> FileTooLarge:
    """Return the refusal of a file that grows beyond its bounds when it is unpacked."""
    return FileTooLarge(f"The workbook is too large: {what}. Please split it, or {SAVE_AS} with the data only.")


def encrypted() -> InvalidFileFormat:
    """Return the refusal of a workbook that needs a password."""
    return InvalidFileFormat(f"The workbook is encrypted. Please {SAVE_AS}, without a password.")


def macros() -> InvalidFileFormat:
    """Return the refusal of a workbook that brings programs along."""
    return InvalidFileFormat(f"The workbook contains macros (.xlsm). Please {SAVE_AS}, without macros.")
