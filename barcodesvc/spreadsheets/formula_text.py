"""Protection against formula injection: text that looks like a formula is not evaluated, and is read back unchanged.

A text is dangerous if it begins with `=`, `+`, `-`, `@`, tab or CR (OWASP, CSV Injection) or a full-width form, which
some programs treat alike. A program that splits at another character than the comma also sees a beginning after
`;`, `,`, tab and `|`, and may strip quotes, spaces and invisible characters there. An apostrophe at each such position
prevents evaluation. To be reversible, one is added to existing apostrophes as well, and reading removes one:

    stored      in CSV      in XLSX     read back
    =1+1        '=1+1       =1+1        =1+1         (XLSX: a string cell with quote prefix is never run)
    x;=1+1      x;'=1+1     x;=1+1      x;=1+1
    '=1+1       ''=1+1      ''=1+1      '=1+1
    'quoted     'quoted     'quoted     'quoted
"""

from __future__ import annotations

import re

_DANGEROUS = "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"
_STRIPPED = "['\" \u00a0\u200b\u2060\ufeff]*"
_BEGINNING = "(?:\\A|(?<=[;,\t|]))"
_NEEDS_GUARD_IN_CSV = re.compile(f"{_BEGINNING}(?={_STRIPPED}{_DANGEROUS})")
_NEEDS_GUARD_IN_XLSX = re.compile(f"{_BEGINNING}(?='{_STRIPPED}{_DANGEROUS})")
_GUARD = re.compile(f"{_BEGINNING}'(?={_STRIPPED}{_DANGEROUS})")
_TEXT_FORMULA = re.compile('="([^"]*)"')
_MAY_NEED_GUARD = re.compile(_DANGEROUS)


def guard_csv(text: str) -> str:
    """Return the text for a CSV field, so that no program evaluates it."""
    return _NEEDS_GUARD_IN_CSV.sub("'", text) if _MAY_NEED_GUARD.search(text) else text


def guard_xlsx(text: str) -> str:
    """Return the text for a string cell, so that `unguard` returns the original."""
    return _NEEDS_GUARD_IN_XLSX.sub("'", text) if "'" in text else text


def unguard(text: str) -> str:
    """Return the text before `guard_csv` or `guard_xlsx`."""
    return _GUARD.sub("", text) if "'" in text else text


def literal_text(written: str) -> str:
    """Return the text of a cell of a text file, also of `="007"`, which programs write to keep the zeros."""
    formula = _TEXT_FORMULA.fullmatch(written) if written.startswith("=") else None
    return formula[1] if formula else unguard(written)
