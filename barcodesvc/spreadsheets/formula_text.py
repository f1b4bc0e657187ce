"""Text that a spreadsheet would take for a formula, shown instead of run, and read back unharmed.

A text is in danger when it begins with `=`, `+`, `-`, `@`, tab or CR (OWASP, CSV Injection). One apostrophe
in front disarms it, as people type it themselves. To stay reversible, a text that already has apostrophes in
front of such a character gets one more, and reading takes one away:

    stored      in CSV      in XLSX     read back
    =1+1        '=1+1       =1+1        =1+1         (XLSX: a string cell with quote prefix is never run)
    '=1+1       ''=1+1      ''=1+1      '=1+1
    'quoted     'quoted     'quoted     'quoted
"""

from __future__ import annotations

import re

_DANGEROUS = "=+\\-@\t\r"
_FIRST = ("=", "+", "-", "@", "\t", "\r", "'")
_NEEDS_GUARD_IN_CSV = re.compile(f"'*[{_DANGEROUS}]")
_GUARDED = re.compile(f"'+[{_DANGEROUS}]")


def guard_csv(text: str) -> str:
    """Return the text as a CSV field shows it without running it."""
    return f"'{text}" if text.startswith(_FIRST) and _NEEDS_GUARD_IN_CSV.match(text) else text


def guard_xlsx(text: str) -> str:
    """Return the text as a string cell holds it, so that `unguard` gives the original."""
    return f"'{text}" if _GUARDED.match(text) else text


def unguard(text: str) -> str:
    """Return what stood there before `guard_csv` or `guard_xlsx`."""
    return text[1:] if _GUARDED.match(text) else text
