"""Refusals of files; their messages say what is wrong and what to do next."""

from barcodesvc.errors import FileTooLarge, InvalidFileFormat

SAVE_AS = "open it in a spreadsheet program and save it as .xlsx (Excel workbook)"


def damaged(what: str) -> InvalidFileFormat:
    """Return the refusal of a damaged workbook; `what` describes the damage."""
    return InvalidFileFormat(f"The workbook is damaged: {what}. Please {SAVE_AS} again.")


def not_a_workbook(what: str) -> InvalidFileFormat:
    """Return the refusal of another kind of file; `what` names it."""
    return InvalidFileFormat(f"The file is {what}, not an .xlsx, .xls or .ods workbook. Please {SAVE_AS}.")


def text_file() -> InvalidFileFormat:
    """Return the refusal of a text file that was not said to be CSV."""
    return InvalidFileFormat(
        "The file is a text file such as CSV, not an .xlsx, .xls or .ods workbook. If it is CSV, please send it with "
        f"the parameter format=csv; otherwise {SAVE_AS}."
    )


def unreadable_text(why: str) -> InvalidFileFormat:
    """Return the refusal of a text file such as CSV; `why` names its row."""
    return InvalidFileFormat(f"The text file cannot be read: {why}. Please correct it, or {SAVE_AS}, or as CSV UTF-8.")


def too_large(what: str) -> FileTooLarge:
    """Return the refusal of a file that exceeds a limit when it is unpacked."""
    return FileTooLarge(f"The workbook is too large: {what}. Please split it, or {SAVE_AS} with the data only.")


def encrypted() -> InvalidFileFormat:
    """Return the refusal of a workbook that needs a password."""
    return InvalidFileFormat(f"The workbook is encrypted. Please {SAVE_AS}, without a password.")


def macros() -> InvalidFileFormat:
    """Return the refusal of a workbook with macros."""
    return InvalidFileFormat(f"The workbook contains macros (.xlsm). Please {SAVE_AS}, without macros.")
