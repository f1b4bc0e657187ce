"""Protection against formula injection: text like a formula is shown instead of run, and read back unharmed.

A text is in danger where it begins with `=`, `+`, `-`, `@`, tab or CR (OWASP, CSV Injection) or with the full-width
form of one, which some programs take for the same. A spreadsheet that splits at another character than the comma sees a
beginning behind it as well: behind `;`, `,`, tab and `|`. Such a program may take quotes in front of it away. One
apostrophe at each such position disarms it, as people type it themselves. To stay reversible, where there are
apostrophes already comes one more, and reading takes one away:

    stored      in CSV      in XLSX     read back
    =1+1        '=1+1       =1+1        =1+1         (XLSX: a string cell with quote prefix is never run)
    x;=1+1      x;'=1+1     x;=1+1      x;=1+1
    '=1+1       ''=1+1      ''=1+1      '=1+1
    'quoted     'quoted     'quoted     'quoted
"""

from __future__ import annotations

import re

_DANGEROUS = "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"
_BEGINNING = "(?:\\A|(?<=[;,\t|]))"
_NEEDS_GUARD_IN_CSV = re.compile(f"{_BEGINNING}(?=['\"]*{_DANGEROUS})")
_NEEDS_GUARD_IN_XLSX = re.compile(f"{_BEGINNING}(?='['\"]*{_DANGEROUS})")
_GUARD = re.compile(f"{_BEGINNING}'(?=['\"]*{_DANGEROUS})")
_MAY_NEED_GUARD = re.compile(_DANGEROUS)


def guard_csv(text: str) -> str:
    """Return the text as a CSV field shows it without running it."""
    return _NEEDS_GUARD_IN_CSV.sub("'", text) if _MAY_NEED_GUARD.search(text) else text


def guard_xlsx(text: str) -> str:
    """Return the text as a string cell holds it, so that `unguard` gives the original."""
    return _NEEDS_GUARD_IN_XLSX.sub("'", text) if "'" in text else text


def unguard(text: str) -> str:
    """Return what stood there before `guard_csv` or `guard_xlsx`."""
    return _GUARD.sub("", text) if "'" in text else text
