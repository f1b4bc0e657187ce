"""What is changed in a text so that a file can hold it, and that reading undoes: guards of formulas, escapes of XML.

Guards protect against formula injection: text that looks like a formula is not evaluated. It is dangerous if it begins
with `=`, `+`, `-`, `@`, tab or CR (OWASP, CSV Injection) or a full-width form, which some programs treat alike. A
program that splits at another character than the comma also sees a beginning after `;`, `,`, tab and `|`, and may strip
quotes, spaces and invisible characters there. An apostrophe at each such position prevents evaluation. To be
reversible, one is added to existing apostrophes as well, and reading removes one:

    stored      in CSV      in XLSX     read back
    =1+1        '=1+1       =1+1        =1+1         (XLSX: a string cell with quote prefix is never run)
    x;=1+1      x;'=1+1     x;=1+1      x;=1+1
    '=1+1       ''=1+1      ''=1+1      '=1+1
    'quoted     'quoted     'quoted     'quoted

Escapes stand for characters that XML 1.0 (2.2, Char) forbids, such as U+FFFF. In SpreadsheetML, `_xHHHH_` is one UTF-16
unit, such as `_x000D_` for a carriage return (ECMA-376-1, 22.9.2.19, ST_Xstring). A text that contains such a sequence
literally begins it with `_x005F_`, the escaped underscore. Lone surrogates are not text, and become U+FFFD.
"""

import re

_DANGEROUS = "[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]"
_STRIPPED = "['\" \u00a0\u200b\u2060\ufeff]*"
_BEGINNING = "(?:\\A|(?<=[;,\t|]))"
_NEEDS_GUARD_IN_CSV = re.compile(f"{_BEGINNING}(?={_STRIPPED}{_DANGEROUS})")
_NEEDS_GUARD_IN_XLSX = re.compile(f"{_BEGINNING}(?='{_STRIPPED}{_DANGEROUS})")
_GUARD = re.compile(f"{_BEGINNING}'(?={_STRIPPED}{_DANGEROUS})")
_TEXT_FORMULA = re.compile('="([^"]*)"')
_MAY_NEED_GUARD = re.compile(_DANGEROUS)
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MUST_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")
# an escaped character begins with an underscore itself; surrogates are replaced, not escaped
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}[_\x00-\x08\x0b-\x1f\ufffe\uffff])")
_SURROGATE = re.compile("[\ud800-\udfff]")


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


def replace_surrogates(text: str) -> str:
    """Return the text with U+FFFD instead of every lone surrogate, which UTF-8 cannot encode."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def escape(text: str) -> str:
    """Return the text as the content of a SpreadsheetML string, before XML's own escaping."""
    unambiguous = _LOOKS_ESCAPED.sub("_x005F_", text)
    return _MUST_ESCAPE.sub(lambda match: f"_x{ord(match[0]):04X}_", replace_surrogates(unambiguous))


def unescape(text: str) -> str:
    """Return the text of a SpreadsheetML string."""
    if "_x" not in text:
        return text
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    if not _SURROGATE.search(plain):
        return plain
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
